#include "reports/stages/query_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "reference/admissible/statistic.hpp"
#include "reference/formats/format.hpp"
#include "reference/stages/query_stages.hpp"
#include "reports/run/merge.hpp"

namespace ulpgate {
namespace {

constexpr const char* orders[] = {"sequential", "lanes:8x1", "lanes:16x1", "lanes:8x4", "lanes:16x4", "pairwise"};
constexpr const char* norm_orders[] = {"sequential", "masked:8x4", "masked:16x4", "lanes:8x4", "lanes:16x4", "pairwise"};

struct Restated {
    Contract contract;
    Model norm;
    std::string text;
};

std::vector<Restated> restatements(const Contract& c, bool norm) {
    std::vector<Restated> out;
    for (const char* order : orders)
        for (const char* norm_order : norm_orders)
            for (const char* fma : {"", ",fma"})
                for (const char* root : {"", ",rsqrt_form=recip_sqrt"}) {
                    if (!norm && (norm_order != norm_orders[0] || *fma || *root)) continue;
                    Restated r;
                    r.contract = c;
                    r.contract.a_order = r.contract.b_order = order;
                    const std::string of_norm = fmt::format("order={}{}{}", norm_order, fma, root);
                    const auto map = c.map == Map::f32_gain ? "f32_gain,assoc=xr_w" : "cast_first";
                    if (parse(fmt::format("{},{}{},{}", name(c.x), map, c.by == By::div ? ",by=div" : "", of_norm), r.norm)) continue;
                    r.text = norm ? fmt::format("sums of both projections {}, norm {}", order, of_norm) : fmt::format("sums {}", order);
                    out.push_back(std::move(r));
                }
    return out;
}

std::vector<float> output(const QueryRan& r, std::string_view name) {
    const Tensor* t = r.tensors->find(name);
    if (!t || !t->count()) return {};
    const auto& bits = r.outcome->out[static_cast<std::size_t>(t - r.tensors->all.data())];
    std::vector<float> v(static_cast<std::size_t>(t->count()));
    unpack(t->type, bits.data(), v);
    return v;
}

bool equal(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// What the subject gave for q_b's row of one token, from its own tensors.
class Given {
  public:
    // turned: q_pe holds what the rotary embedding made of it.
    Given(const QueryRan& r, bool turned) : sizes_(r.tensors->sizes), head_(r.tensors->op->abi == Abi::linear) {
        nope_ = output(r, "q_nope"), y_ = output(r, "y");
        if (!turned) pe_ = output(r, "q_pe");
    }
    bool any() const { return !nope_.empty() || !pe_.empty() || !y_.empty(); }
    // Of (token, row of q_b): nothing where the subject did not write it.
    std::optional<float> operator()(std::int64_t token, std::int64_t row) const {
        if (head_) return y_[static_cast<std::size_t>(token * sizes_[Dim::b_out] + row)];
        const auto T = sizes_[Dim::tokens], H = sizes_[Dim::heads], N = sizes_[Dim::nope], R = sizes_[Dim::rope];
        const auto at = (token / T * H + row / (N + R)) * T + token % T, j = row % (N + R);
        const auto& from = j < N ? nope_ : pe_;
        if (from.empty()) return {};
        return from[static_cast<std::size_t>(j < N ? at * N + j : at * R + j - N)];
    }
    bool gives(std::int64_t token, const std::vector<float>& q) const {
        for (std::size_t o = 0; o < q.size(); ++o)
            if (const auto v = (*this)(token, static_cast<std::int64_t>(o)); v && !equal(*v, q[o])) return false;
        return true;
    }

  private:
    const Sizes& sizes_;
    bool head_;
    std::vector<float> nope_, pe_, y_;
};

bool gives_all(const Restated& m, const std::vector<QueryRan>& ran) {
    for (const auto& r : ran) {
        QueryPath path(*r.tensors, {m.contract, {}, ""});
        const Given given(r, m.contract.rope != Rope::none);
        if (!given.any()) return false;
        QueryStager stager(path, m.norm);
        for (std::int64_t token = 0; token < path.tokens(); ++token)
            if (!given.gives(token, stager.trace(token).q)) return false;
    }
    return true;
}

// A token from the subject's taps: what stands between them is not known.
std::optional<QueryTrace> tapped(const QueryRan& r, QueryPath& path, std::int64_t token) {
    QueryTrace k;
    const auto row = [&](std::string_view name) {
        const auto all = output(r, name);
        const auto n = all.empty() ? 0 : static_cast<std::ptrdiff_t>(r.tensors->find(name)->width());
        return std::vector<float>(all.begin() + token * n, all.begin() + (token + 1) * n);
    };
    k.a = k.a_sum = row("tap_a");
    k.n = k.t = k.z = row("tap_norm");
    k.q = k.q_sum = row("tap_q_b");
    k.norm = {1, 1, 1, 1};  // not known, and no line of its own
    if (k.q.empty() || (path.has_rank() && (k.a.empty() || k.z.empty()))) return {};
    if (!path.has_rank()) k.z = path.input(token);
    return k;
}

struct Line {
    std::string name;
    std::vector<std::size_t> stages;  // of query_stage_names
};

std::vector<Line> lines_of(bool norm, bool head, bool known) {
    std::vector<Line> out;
    if (!known) {
        if (norm) out = {{"q_a", {0, 1}}, {"norm", {2, 3, 4, 5, 6, 7, 8}}};
        out.push_back({head ? "head" : "q_b", {9, 10}});
        return out;
    }
    for (std::size_t k = norm ? 0 : 9; k < query_stages; ++k) out.push_back({head ? k == 9 ? "sum" : "cast" : std::string(query_stage_names[k]), {k}});
    return out;
}

struct Tally {
    explicit Tally(std::size_t n) : all(n), bound(n), bound32(n) {}
    Contributions all;
    std::vector<double> bound, bound32;
    std::vector<std::pair<Case, std::int64_t>> at;
    std::int64_t skipped = 0;
};

void add(Tally& tally, const std::vector<Line>& lines, const QueryRow& row, const Case& c, std::int64_t token, bool known) {
    tally.skipped += row.skipped;
    const auto id = static_cast<std::int64_t>(tally.at.size());
    tally.at.emplace_back(c, token);
    std::vector<double> ulps(lines.size());
    for (std::size_t e = 0; e < row.ulps.size(); ++e) {
        for (std::size_t l = 0; l < lines.size(); ++l) {
            double bound = 0;
            ulps[l] = 0;
            for (const auto s : lines[l].stages) ulps[l] += row.ulps[e][s], bound += row.bound[e][s];
            tally.bound[l] = std::max(tally.bound[l], bound);
        }
        tally.all.add(ulps, id, row.output[e]);
    }
    std::vector<double> r(lines.size());
    if (known && lines.size() == query_stages && !row.ulps.empty()) std::copy(row.ulps32.begin(), row.ulps32.end(), r.begin() + first_norm_stage);
    tally.all.add_row(r);
}

void fill(StageTable& table, const Tally& tally, const std::vector<Line>& lines, const std::array<double, error_stages>& relative) {
    table.rows = static_cast<std::int64_t>(tally.at.size());
    table.elements = tally.all.elements();
    table.skipped = tally.skipped;
    table.rms_ulp = tally.all.rms_ulp(), table.worst_ulp = tally.all.worst_ulp(), table.bias_ulp = tally.all.bias_ulp();
    const auto shares = tally.all.shares();
    for (std::size_t l = 0; l < lines.size(); ++l) {
        const auto& s = shares[l];
        StageLine line{lines[l].name, s.rms_ulp, s.worst_ulp, s.bias_ulp, s.share, s.rms_ulp32, s.worst_ulp32, tally.bound[l], 0, "", s.worst_col, s.by_size};
        if (lines.size() == query_stages && l >= first_norm_stage && l < first_norm_stage + row_stages) line.allowed_ulp32 = relative[l - first_norm_stage] * 0x1p24;
        if (s.worst_row >= 0) {
            const auto& [c, row] = tally.at[static_cast<std::size_t>(s.worst_row)];
            line.line = line_of(c, 0, row);
        }
        table.lines.push_back(std::move(line));
    }
}

}  // namespace

std::string query_stage_table(const Contract& c, const std::vector<QueryRan>& ran, StageTable& table) {
    const bool head = ran.front().tensors->op->abi == Abi::linear, norm = !head && ran.front().tensors->sizes[Dim::q_rank] > 0;
    if (norm)
        if (const auto why = why_no_query_stages(c); !why.empty()) return why;
    if (c.kv == Kv::fused || c.absorb == Absorb::yes) return "its outputs are the fused or absorbed ones: only q_nope and q_pe are taken apart";
    const auto all = restatements(c, norm);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Restated& r) { return gives_all(r, ran); });
    const bool known = found != all.end();
    std::int64_t tokens = 0;
    for (const auto& r : ran) tokens += r.tensors->sizes[Dim::rows];
    table.how = known ? fmt::format("{}: equal bit for bit in {} of {} tokens, the first of {} restatements to be", found->text, tokens, tokens, all.size())
                      : fmt::format("none of {} restatements gives its {} tokens bit for bit: each projection and the norm are one line, from its taps", all.size(), tokens);
    if (c.rope != Rope::none) table.how += "; up to the rotary embedding";
    const auto& model = known ? *found : all.front();
    const auto lines = lines_of(norm, head, known);
    Tally tally(lines.size());
    std::array<double, error_stages> relative{};
    for (const auto& r : ran) {
        QueryPath path(*r.tensors, {known ? model.contract : c, {}, ""});
        QueryStager stager(path, model.norm);
        for (std::int64_t token = 0; token < path.tokens(); ++token) {
            const auto k = known ? std::optional(stager.trace(token)) : tapped(r, path, token);
            if (!k) return "no restatement gives its outputs bit for bit, and it has no taps: nothing is known of its stages";
            add(tally, lines, stager.stages(token, *k), r.c, token, known);
            if (known && norm) {
                const auto bound = stage_bounds(c, statistic_set(c, k->a, path.eps()).set.rho, static_cast<std::int64_t>(k->a.size()));
                for (std::size_t s = 0; s < error_stages; ++s) relative[s] = std::max(relative[s], bound[s]);
            }
        }
    }
    if (!tally.all.elements()) return "no output has a finite error to take apart";
    fill(table, tally, lines, relative);
    return "";
}

}  // namespace ulpgate
