#include "reports/stages/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "properties/judge/hypothesis.hpp"
#include "reference/admissible/row_set.hpp"
#include "reference/formats/format.hpp"
#include "reference/stages/stages.hpp"
#include "reports/run/cases.hpp"
#include "reports/run/merge.hpp"
#include "reports/stages/query_table.hpp"

namespace ulpgate {
namespace {

constexpr double u = 0x1p-24;

struct Tally {
    StageBudget budget;
    std::array<double, error_stages> allowed{};
    std::vector<std::pair<Case, std::int64_t>> at;  // by row of the budget: the case, the row in it
};

void take(Tally& tally, const Contract& c, const RowStages& s, std::span<const float> x, double eps, const Case& from, std::int64_t row) {
    const auto set = statistic_set(c, x, eps);
    const auto bound = stage_bounds(c, set.set.rho, static_cast<std::int64_t>(x.size()));
    for (std::size_t k = 0; k < error_stages; ++k) tally.allowed[k] = std::max(tally.allowed[k], bound[k]);
    tally.budget.add(s, static_cast<std::int64_t>(tally.at.size()));
    tally.at.emplace_back(from, row);
}

StageLine line_of_stage(const Tally& t, std::string name, const StageShare& s, double relative, Type y, bool row_stage) {
    StageLine l{std::move(name), s.rms_ulp, s.worst_ulp, s.bias_ulp, s.share, s.rms_ulp32, s.worst_ulp32, 0, 0, "", s.worst_col, s.by_size};
    l.allowed_ulp = std::ldexp(relative, precision(y));  // an ulp of a normal number is at least 2^-p of it
    if (row_stage) l.allowed_ulp32 = relative / u;
    if (s.worst_row >= 0) {
        const auto& [c, row] = t.at[static_cast<std::size_t>(s.worst_row)];
        l.line = line_of(c, 0, row);
    }
    return l;
}

void fill(StageTable& table, const Tally& t, bool whole_row) {
    table.rows = t.budget.rows();
    table.elements = t.budget.elements();
    table.skipped = t.budget.skipped();
    table.rms_ulp = t.budget.rms_ulp();
    table.worst_ulp = t.budget.worst_ulp();
    table.bias_ulp = t.budget.bias_ulp();
    const auto shares = t.budget.shares();
    if (whole_row) {
        double relative = 0;
        for (std::size_t k = 0; k < row_stages; ++k) relative += t.allowed[k];
        table.lines.push_back(line_of_stage(t, "r", shares[3], relative, table.contract.y, true));
    } else {
        for (std::size_t k = 0; k < row_stages; ++k)
            table.lines.push_back(line_of_stage(t, std::string(name(static_cast<ErrorStage>(k))), shares[k], t.allowed[k], table.contract.y, true));
    }
    for (std::size_t k = row_stages; k < error_stages; ++k)
        table.lines.push_back(line_of_stage(t, std::string(name(static_cast<ErrorStage>(k))), shares[k], t.allowed[k], table.contract.y, false));
}

// The contract to take apart: the claim with one association, or what explains the rows.
std::optional<Contract> one_contract(const Claim& claim, const std::vector<Ran>& ran) {
    Judgement all;
    for (const auto& r : ran) merge(all, judge(r.made.tensors, r.outcome, claim));
    conclude(all);
    for (const auto& c : all.candidates)
        if (c.fits && c.contract.map != Map::none) return c.contract;
    return {};
}

void add_rows(StageTable& table, Tally& tally, const Model& m, const std::vector<Ran>& ran, bool predicted) {
    for (const auto& r : ran) {
        const Tensors& t = r.made.tensors;
        const Tensor *x = t.find("x"), *w = t.find("w"), *y = t.find("y");
        const auto d = static_cast<std::size_t>(x->width());
        std::vector<float> row(d), gain(w ? d : 0), out(d);
        if (w) w->read_row(0, gain);
        const auto& bits = r.outcome.out[static_cast<std::size_t>(y - t.all.data())];
        for (std::int64_t i = 0; i < x->rows(); ++i) {
            x->read_row(i, row);
            if (predicted) {
                take(tally, table.contract, row_stages_of(m, row, gain, t.eps), row, t.eps, r.c, i);
                continue;
            }
            unpack(y->type, bits.data() + i * x->width() * bytes(y->type), out);
            const auto set = reproduce(*m.map, map_types(m.contract), row, gain, out);
            if (!set.any || !std::isfinite(set.lo) || !std::isfinite(set.hi) || set.lo <= 0) continue;
            take(tally, table.contract, row_stages_given(m, std::midpoint(set.lo, set.hi), row, gain, t.eps), row, t.eps, r.c, i);
        }
    }
}

std::string table_of(const GroupPlan& plan, std::int64_t d, const std::vector<Ran>& ran, const std::string& text, StageTable& table) {
    table.subject = plan.subject;
    table.op = plan.op;
    table.type = plan.claim[0].x;
    table.d = d;
    const auto contract = one_contract(plan.claim, ran);
    if (!contract) return fmt::format("{} {} {}: no contract explains its rows: gate says what it computes", plan.subject, plan.op, print(plan.claim));
    table.contract = *contract;
    std::vector<OutputsOf> cases;
    for (const auto& r : ran) cases.push_back({&r.made.tensors, &r.outcome});
    Prediction p;
    if (text.empty()) {
        p = predict(plan.subject, *contract, cases);
    } else {
        if (const auto bad = parse(text, p.model)) return fmt::format("--model '{}', column {}: {}", text, bad->at + 1, bad->what);
        if (const auto why = why_no_stages(p.model); !why.empty()) return fmt::format("--model '{}': {}", text, why);
        if (p.model.contract.x != table.type) return "";  // of another type
        p.found = predicts(p.model, cases);
        if (!p.found) return fmt::format("--model '{}' does not give the outputs of {} {} {} bit for bit", text, plan.subject, plan.op, name(table.type));
        p.text = text;
        p.how = "given, and equal bit for bit";
    }
    if (!p.found) {
        p.model.contract = *contract;
        p.model.map = maps_for(*contract).front();
    }
    table.model = p.text;
    table.how = p.found ? p.how : p.how + ": the stages of the row are one line, r as far as the outputs pin it";
    Tally tally{StageBudget(contract->y), {}, {}};
    add_rows(table, tally, p.model, ran, p.found);
    if (tally.budget.elements() == 0) return fmt::format("{} {} {}: no element has a finite error to take apart", plan.subject, plan.op, name(table.type));
    fill(table, tally, !p.found);
    return "";
}

}  // namespace

namespace {

// A norm's: stages are those of y = w T(x r).
std::string why_not(const Contract& c) {
    if (c.residual == Residual::none && c.quant == Quant::none && c.beta == Given::none) return "";
    return "stages are those of y = w T(x r), without a residual, beta or quantised output";
}

std::string query_table_of(const GroupPlan& plan, std::int64_t d, const std::vector<Ran>& ran, const std::string& model, StageTable& table) {
    if (!model.empty()) return fmt::format("--model '{}': of the norms alone; the query path's restatement is searched for", model);
    table.subject = plan.subject;
    table.op = plan.op;
    table.type = plan.claim[0].x;
    table.d = d;
    const auto contract = one_contract(plan.claim, ran);
    const auto where = fmt::format("{} {} {} d {}", plan.subject, plan.op, print(plan.claim), d);
    if (!contract) return where + ": no contract explains its tokens: gate says what it computes";
    table.contract = *contract;
    std::vector<QueryRan> cases;
    for (const auto& r : ran) cases.push_back({r.c, &r.made.tensors, &r.outcome});
    const auto why = query_stage_table(*contract, cases, table);
    return why.empty() ? "" : where + ": " + why;
}

}  // namespace

StageTables stage_tables(const RunRequest& request, const std::string& model, Result& result) {
    StageTables out;
    const auto plan = make_plan(request, result);
    out.error = plan.error;
    for (const auto& g : plan.groups) {
        if (!out.error.empty()) return out;
        const bool norm = find_op(g.op)->abi == Abi::rmsnorm;
        if (const auto why = norm ? why_not(g.claim[0]) : ""; !why.empty()) {
            result.notes.push_back(fmt::format("{} {} {}: not taken apart: {}", g.subject, g.op, print(g.claim), why));
            continue;
        }
        std::map<std::pair<std::int64_t, bool>, std::vector<Ran>> by_shape;  // a query path without a rank has no norm
        for (auto& r : run_cases(g, request.options, result.notes)) by_shape[{r.c.d, !norm && r.made.tensors.sizes[Dim::q_rank] == 0}].push_back(std::move(r));
        for (const auto& [shape, ran] : by_shape) {
            StageTable t;
            const auto e = norm ? table_of(g, shape.first, ran, model, t) : query_table_of(g, shape.first, ran, model, t);
            if (e.empty() && !t.lines.empty()) out.tables.push_back(std::move(t));
            else if (!e.empty() && !model.empty()) out.error = e;
            else if (!e.empty()) result.notes.push_back(e);
        }
    }
    return out;
}

}  // namespace ulpgate
