#include "properties/explain_query/explain_query.hpp"

#include <fmt/format.h>

#include <cstring>
#include <unordered_map>

#include "properties/explain_query/permutation.hpp"
#include "properties/judge/query_judge.hpp"
#include "reference/query_faults/query_fault.hpp"

namespace ulpgate {
namespace {

struct Fit {
    bool all = true;
    std::int64_t outputs = 0;
    bool told = false;  // in some case the fault allows at most two values of most outputs
};

bool same_bits(const QueryCase& c, const QueryModel& m) {
    QueryPath path(*c.tensors, m);
    const auto want = path.run();
    for (std::size_t k = 0; k < want.size(); ++k)
        if (!c.tensors->all[k].spec->input() && want[k] != c.outcome->out[k]) return false;
    return true;
}

Fit fit(const std::vector<QueryCase>& cases, const QueryFault& f, const Contract& claim) {
    Fit out;
    for (const QueryCase& c : cases) {
        QueryModel m{claim, {}, std::string(f.kind)};
        m.contract.weights = c.tensors->contract.weights;
        m.contract.taps = c.tensors->contract.taps;
        if (m.contract.map == Map::none) m.contract.map = Map::cast_first;
        f.change(m);
        if (!why_no_sum(m.contract).empty()) return {false, 0, false};
        if (f.restated) {
            out.all = same_bits(c, m);
            for (const Tensor& t : c.tensors->all)
                if (!t.spec->input()) out.outputs += t.count();
            out.told = true;
        } else {
            const QueryCheck r = check_query(*c.tensors, *c.outcome, m);
            out.all = r.fits && r.error.empty();
            std::int64_t outputs = 0, pinned = 0;
            for (const QueryStage& s : r.stages) outputs += s.outputs, pinned += s.at_most_two;
            out.outputs += outputs;
            out.told |= pinned * 2 >= outputs;
        }
        if (!out.all) return out;
    }
    return out;
}

// "rope=" of "rope=one_cast": another value of the field serves as well.
std::string_view key_of(std::string_view field) { return field.substr(0, field.find('=') + 1); }

float value_at(const QueryCase& c, std::string_view name, std::int64_t at) {
    for (std::size_t k = 0; k < c.tensors->all.size(); ++k) {
        const Tensor& t = c.tensors->all[k];
        if (t.spec->name != name) continue;
        std::uint32_t w = 0;
        std::memcpy(&w, c.outcome->out[k].data() + at * bytes(t.type), static_cast<std::size_t>(bytes(t.type)));
        return decode(t.type, w);
    }
    return 0;
}

// Where a case pins each output to one value that no other place holds: where the first misplaced ones come from.
std::string read_off(const QueryCase& c, const Contract& claim) {
    const Sizes& s = c.tensors->sizes;
    const std::int64_t T = s[Dim::tokens], H = s[Dim::heads], N = s[Dim::nope], D = N + s[Dim::rope], B = s[Dim::batch];
    if (c.tensors->op->abi != Abi::mla_query || T == 0 || claim.absorb == Absorb::yes) return "";
    QueryModel m{claim, {}, ""};
    m.contract.weights = c.tensors->contract.weights;
    if (m.contract.map == Map::none) m.contract.map = Map::cast_first;
    QueryPath path(*c.tensors, m);
    std::unordered_map<float, std::pair<std::int64_t, std::int64_t>> where;  // value: token, row; token -1: several
    for (std::int64_t token = 0; token < B * T; ++token) {
        const Ranges q = path.rope(token, path.through(token).q);
        for (std::size_t o = 0; o < q.size(); ++o) {
            if (!q[o].one() || q[o].lo != q[o].lo) return "";
            const auto [at, fresh] = where.try_emplace(q[o].lo, token, static_cast<std::int64_t>(o));
            if (!fresh) at->second.first = -1;
        }
    }
    std::int64_t moved = 0, known = 0;
    std::string first;
    std::vector<Moved> places;
    for (std::int64_t b = 0; b < B; ++b)
        for (std::int64_t h = 0; h < H; ++h)
            for (std::int64_t t = 0; t < T; ++t)
                for (std::int64_t j = 0; j < D; ++j) {
                    const std::int64_t at = (b * H + h) * T + t;
                    const auto it = where.find(j < N ? value_at(c, "q_nope", at * N + j) : value_at(c, "q_pe", at * (D - N) + j - N));
                    if (it == where.end() || it->second.first < 0) continue;
                    ++known;
                    const auto [token, row] = it->second;
                    if (token / T == b) places.push_back({{t, h, j}, {token % T, row / D, row % D}});
                    if (token == b * T + t && row == h * D + j) continue;
                    ++moved;
                    if (first.empty())
                        first = fmt::format("{} token {} head {} col {} holds token {} head {} col {} of q_b", j < N ? "q_nope" : "q_pe", b * T + t, h, j < N ? j : j - N,
                                            token, row / D, row % D);
                }
    if (moved && static_cast<std::int64_t>(places.size()) == known)
        if (const auto words = permutation_words(places, T, H, D, N); !words.empty())
            return fmt::format("outputs stand elsewhere: {} ({} of {} that can be told; {})", words, moved, known, first);
    return moved * 2 > known && known > 0 ? fmt::format("outputs stand elsewhere: {} ({} of {} that can be told)", first, moved, known) : "";
}

}  // namespace

QueryExplanation explain_query(const std::vector<QueryCase>& cases, const Contract& claim) {
    QueryExplanation out;
    for (const QueryFault* f : query_faults::all()) {
        const bool head = !cases.empty() && cases[0].tensors->op->abi == Abi::linear;
        if (head && !f->head) continue;
        if (!f->needs.empty() && print(claim).find(key_of(f->needs)) == std::string::npos && f->needs != "logits=t_then_f32") continue;
        if (f->kind.starts_with("head.") && !head) continue;
        const Fit r = fit(cases, *f, claim);
        // A fault whose sets allow much is near everything: no name from a band.
        if (!r.all || r.outputs == 0 || !r.told) continue;
        out.equal.push_back({std::string(f->kind), fmt::format("{}: {}: all {} outputs", f->kind, f->line, r.outputs), std::string(f->fix)});
    }
    if (!out.equal.empty()) return out;
    out.unknown = "unknown: no listed fault gives all outputs";
    for (const QueryCase& c : cases)
        if (const auto words = read_off(c, claim); !words.empty()) {
            out.unknown = "unknown: " + words;
            break;
        }
    return out;
}

}  // namespace ulpgate
