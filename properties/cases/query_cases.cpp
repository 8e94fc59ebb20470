#include "properties/cases/query_cases.hpp"

#include <algorithm>

#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate {
namespace {

struct Shape {
    std::int64_t batch, tokens, rank, heads, nope, rope, out;
};

Case sized(const Op& op, const Claim& claim, const GateOptions& o, const QueryProfile& p, std::int64_t d, const Shape& s) {
    Case c;
    c.op = op.name;
    c.claim = claim;
    c.profile = p.name;
    c.seed = o.seed;
    c.d = d;
    c.batch = s.batch;
    c.tokens = o.rows ? o.rows : s.tokens;
    const bool query = op.abi == Abi::mla_query;
    if (query) {
        c.rank = s.rank;
        c.heads = s.heads;
        c.nope = s.nope;
        c.rope = s.rope;
        if (claim[0].kv != Kv::none || claim[0].absorb != Absorb::no) c.kv = 6;
    } else {
        c.out = s.out;
    }
    return c;
}

bool wanted(const GateOptions& o, const QueryProfile& p) {
    return o.profiles.empty() || std::find(o.profiles.begin(), o.profiles.end(), p.name) != o.profiles.end();
}

// Those that leave no sum to the order come first: a failure is named by the first cases that show it.
std::vector<const QueryProfile*> by_what_they_pin() {
    std::vector<const QueryProfile*> out(query_profiles::all().begin(), query_profiles::all().end());
    std::stable_partition(out.begin(), out.end(), [](const QueryProfile* p) { return p->pins; });
    return out;
}

}  // namespace

std::vector<Case> query_cases(const Op& op, const Claim& claim, std::int64_t d, const GateOptions& o) {
    constexpr Shape few{1, 5, 16, 2, 8, 4, 40}, one{1, 1, 16, 2, 8, 4, 40}, batched{2, 3, 16, 4, 8, 4, 33}, odd{2, 2, 17, 3, 7, 3, 17},
        no_rank{1, 4, 0, 2, 8, 4, 40}, blocks{1, 3, 130, 2, 96, 48, 130};
    std::vector<Case> out;
    const bool query = op.abi == Abi::mla_query;
    const std::int64_t small = d && d != 7168 ? d : 64;
    for (const QueryProfile* p : by_what_they_pin()) {
        if (!wanted(o, *p)) continue;
        if (d != 7168) {
            for (const Shape& s : {few, one, batched}) out.push_back(sized(op, claim, o, *p, small, s));
            out.push_back(sized(op, claim, o, *p, d ? d : 200, blocks));
            if (!d && claim.at(0).rope == Rope::none) out.push_back(sized(op, claim, o, *p, 33, odd));
            if (query && claim.at(0).bias == Bias::none && claim[0].kv == Kv::none) out.push_back(sized(op, claim, o, *p, small, no_rank));
            out.push_back(sized(op, claim, o, *p, small, batched));
            out.back().ld = small + 3;
            out.push_back(sized(op, claim, o, *p, small, few));
            out.back().tokens = 0;
            // Positions on both sides of the original context's end and at the end of the stretched one; position 0 alone shows nothing.
            for (const std::int64_t past : {1, 4095, 4096, 131071}) {
                if (claim.at(0).rope == Rope::none) break;
                out.push_back(sized(op, claim, o, *p, small, batched));
                out.back().past = past;
            }
        }
        // The model's shape: 30 million weights a case. Two batches of two tokens where one value pins each sum: a kernel may take one for the other.
        if ((d == 0 && !o.quick && o.whole && p->whole) || d == 7168) {
            Case& c = out.emplace_back();
            c.op = op.name;
            c.claim = claim;
            c.profile = p->name;
            c.seed = o.seed;
            c.d = 7168;
            if (query && p->pins) c.batch = 2;
            c.tokens = o.rows ? o.rows : 2;
            if (claim.at(0).rope != Rope::none) c.past = 4096;
        }
        // Without a latent, 88 million: asked for by its width alone.
        if (d == 7168 && query && p->pins && claim.at(0).bias == Bias::none && claim[0].kv == Kv::none && claim[0].rope == Rope::none) {
            Case c = out.back();
            c.rank = 0, c.batch = 1, c.tokens = 1;
            out.push_back(c);
        }
    }
    return out;
}

}  // namespace ulpgate
