#include "reports/eps/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reference/admissible/row_set.hpp"
#include "reference/exact/sum.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/oracle/oracle.hpp"
#include "reports/eps/sensitivity.hpp"
#include "reports/run/case_source.hpp"
#include "reports/run/cases.hpp"
#include "properties/judge/distribution.hpp"

namespace ulpgate {
namespace {

constexpr double class_default = 1e-6;  // DeepseekV3RMSNorm's

std::string warning_of(std::string_view op, double config_eps) {
    if (config_eps == 0 || config_eps == class_default || op == "final_norm") return "";
    return fmt::format("config rms_norm_eps {:g} does not reach {}: it is built without an eps argument and keeps the class default {:g}", config_eps, op, class_default);
}

double mean_square(std::span<const float> x) {
    const auto s = sum_of_squares(x);
    return (s.hi + s.lo) / static_cast<double>(x.size());
}

struct Row {
    std::vector<float> x;
    double v;
};

void by_rms(EpsTable& t, const std::vector<Row>& rows) {
    std::map<int, EpsRow> bins;
    std::vector<double> shares;
    for (const auto& r : rows) {
        const double share = r.v + t.eps > 0 ? t.eps / (r.v + t.eps) : 0;
        shares.push_back(share);
        auto& b = bins[rms_octave(std::sqrt(r.v))];
        ++b.rows;
        b.share += share;
    }
    for (auto& [k, b] : bins) {
        b.log2_rms = k;
        b.share /= static_cast<double>(b.rows);
        t.by_rms.push_back(b);
    }
    std::sort(shares.begin(), shares.end());
    if (!shares.empty()) t.share_median = shares[shares.size() / 2], t.share_worst = shares.back();
}

// The specification, correctly rounded, under another eps.
void count_moves(EpsMove& m, const EpsTable& t, const Contract& c, const std::vector<Row>& rows, std::span<const float> w) {
    const OracleTypes types{c.x, c.w, c.y};
    std::vector<std::uint32_t> a(static_cast<std::size_t>(t.d)), b(a.size());
    for (const auto& r : rows) {
        m.rows_all += std::sqrt(r.v) <= m.all_below;
        m.rows_some += std::sqrt(r.v) <= m.some_below;
        oracle_row(Oracle::cast_first, types, r.x, w, t.eps, a);
        oracle_row(Oracle::cast_first, types, r.x, w, m.eps, b);
        std::int64_t changed = 0;
        for (std::size_t j = 0; j < a.size(); ++j) {
            const auto steps = std::abs(ulp_steps(c.y, b[j], a[j]));
            changed += steps != 0;
            if (steps != std::numeric_limits<std::int64_t>::max()) m.worst_steps = std::max(m.worst_steps, steps);
        }
        m.changed_rows += changed != 0;
        m.changed_outputs += changed;
    }
}

EpsTable table_of(const Case& c, const Made& made, const EpsRequest& request) {
    EpsTable t;
    t.op = c.op;
    t.source = c.file.empty() ? c.profile : c.file;
    t.type = made.tensors.contract.x;
    t.eps = c.eps;
    t.warning = warning_of(c.op, request.config_eps);
    const Tensor *x = made.tensors.find("x"), *w = made.tensors.find("w");
    t.d = x->width();
    std::vector<float> gain(w ? static_cast<std::size_t>(t.d) : 0);
    if (w) w->read_row(0, gain);
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < x->rows(); ++i) {
        Row r{std::vector<float>(static_cast<std::size_t>(t.d)), 0};
        x->read_row(i, r.x);
        if (!std::all_of(r.x.begin(), r.x.end(), [](float v) { return std::isfinite(v); })) continue;
        r.v = mean_square(r.x);
        rows.push_back(std::move(r));
    }
    t.rows = static_cast<std::int64_t>(rows.size());
    t.elements = t.rows * t.d;
    by_rms(t, rows);
    for (const double other : request.others) {
        if (std::fabs(other - t.eps) <= 1e-6 * t.eps) continue;  // float(1e-5) is no other eps than 1e-5
        auto m = eps_thresholds(t.type, t.eps, other, t.d);
        count_moves(m, t, made.tensors.contract, rows, gain);
        t.moves.push_back(m);
    }
    return t;
}

bool has(const std::vector<std::string>& list, std::string_view s) { return list.empty() || std::find(list.begin(), list.end(), s) != list.end(); }

void tighten(EpsTable& t, const Tensors& tensors, const Outcome& o, const Contract& c) {
    const Tensor *x = tensors.find("x"), *w = tensors.find("w"), *y = tensors.find("y");
    const auto d = static_cast<std::size_t>(x->width());
    std::vector<float> row(d), gain(w ? d : 0), out(d);
    if (w) w->read_row(0, gain);
    const auto& bits = o.out[static_cast<std::size_t>(y - tensors.all.data())];
    for (std::int64_t i = 0; i < x->rows(); ++i) {
        x->read_row(i, row);
        if (!std::all_of(row.begin(), row.end(), [](float v) { return std::isfinite(v); }) || mean_square(row) == 0) continue;
        unpack(y->type, bits.data() + i * x->width() * bytes(y->type), out);
        const auto set = reproduce(*maps_for(c).front(), map_types(c), row, gain, out);
        if (!set.any || set.lo <= 0 || !std::isfinite(set.hi)) continue;
        const auto e = eps_of_row(c, set.lo, set.hi, row);
        t.recovered_lo = std::max(t.recovered_lo, e.lo);
        t.recovered_hi = std::min(t.recovered_hi, e.hi);
        ++t.recovered_rows;
    }
}

}  // namespace

EpsTables eps_tables(const EpsRequest& request) {
    EpsTables out;
    for (const Op* op : ops::all()) {
        if (op->abi != Abi::rmsnorm || !has(request.ops, op->name)) continue;
        for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
            if (!has(request.types, name(type))) continue;
            auto set = cases_for(*op, {default_contract(type, Map::cast_first)}, request.filter);
            if (!set.error.empty()) return {{}, set.error};
            for (const auto& c : set.cases) {
                const auto made = make(c);
                if (!made.error.empty()) return {{}, made.error};
                if (made.tensors.find("x")->rows() == 0) continue;
                auto t = table_of(c, made, request);
                // Cases of one profile at other strides and batches add nothing.
                const bool again = std::any_of(out.tables.begin(), out.tables.end(), [&](const EpsTable& o) {
                    return o.op == t.op && o.type == t.type && o.source == t.source && o.d == t.d;
                });
                if (!again) out.tables.push_back(std::move(t));
            }
        }
    }
    return out;
}

std::string recover_eps(const RunRequest& request, Result& result, std::vector<EpsTable>& tables) {
    auto r = request;
    r.filter.profiles = {"eps_ladder", "gaussian"};
    const auto plan = make_plan(r, result);
    if (!plan.error.empty()) return plan.error;
    for (const auto& g : plan.groups) {
        if (find_op(g.op)->abi != Abi::rmsnorm) continue;
        if (g.claim[0].residual != Residual::none || g.claim[0].quant != Quant::none || g.claim[0].beta != Given::none) continue;
        EpsTable t;
        t.op = g.op;
        t.type = g.claim[0].x;
        t.subject = g.subject;
        t.source = fmt::format("the outputs of {} ({})", g.subject, print(g.claim, false));
        t.recovered_hi = std::numeric_limits<double>::infinity();
        for (const auto& [c, made, o] : run_cases(g, r.options, result.notes)) {
            const auto j = judge(made.tensors, o, g.claim);
            const auto fits = std::find_if(j.candidates.begin(), j.candidates.end(), [](const Candidate& k) { return k.fits && k.contract.map != Map::none; });
            auto contract = fits != j.candidates.end() ? fits->contract : g.claim[0];
            if (contract.map == Map::none || maps_for(contract).empty()) continue;
            t.eps = c.eps;
            t.d = t.d == 0 || t.d == c.d ? c.d : -1;
            tighten(t, made.tensors, o, contract);
        }
        if (t.recovered_rows) tables.push_back(t);
    }
    return "";
}

}  // namespace ulpgate
