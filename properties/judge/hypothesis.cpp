#include "properties/judge/hypothesis.hpp"

#include <algorithm>

namespace ulpgate::judging {
namespace {

// The part of a contract that decides the statistic set.
Contract statistic_of(Contract c) {
    c.w = c.y = c.x;
    c.map = Map::none;
    c.assoc = Assoc::any;
    c.gain = Gain::given;
    const bool unrounded = c.residual == Residual::unrounded || c.residual == Residual::var_unrounded;
    c.residual = c.residual == Residual::none ? Residual::none
                 : unrounded                  ? Residual::unrounded
                                              : Residual::rounded;
    return c;
}

template <class T>
std::size_t index_in(std::vector<T>& list, const T& value) {
    const auto at = std::find(list.begin(), list.end(), value);
    if (at != list.end()) return static_cast<std::size_t>(at - list.begin());
    list.push_back(value);
    return list.size() - 1;
}

}  // namespace

bool Hypotheses::add(const Contract& c) {
    bool added = false;
    for (const MapPiece* p : maps_for(c)) {
        Hypothesis h{c, p, map_types(c), 0};
        if (c.map == Map::f32_gain && c.gain != Gain::none) h.contract.assoc = p->assoc;
        if (std::any_of(all.begin(), all.end(),
                        [&](const Hypothesis& o) { return o.contract == h.contract; }))
            continue;
        h.statistic = index_in(statistics, statistic_of(c));
        all.push_back(h);
        added = true;
    }
    return added;
}

std::string not_judged(const Contract& c, bool has_residual) {
    if (c.rstd != Emit::none) return "rstd=out: the row's scalar as an output is not judged yet";
    if (c.residual != Residual::none && !has_residual)
        return "the claim has a residual and the case has none";
    if (c.residual == Residual::none && has_residual) return "the case has a residual and the claim has none";
    return why_no_map(c);
}

std::vector<Contract> candidates(const Contract& base) {
    const std::vector<Residual> mixes = base.residual == Residual::none
                                            ? std::vector{Residual::none}
                                            : std::vector{Residual::rounded, Residual::unrounded,
                                                          Residual::var_unrounded, Residual::norm_unrounded};
    const std::vector<Gain> gains = base.gain == Gain::none
                                        ? std::vector{Gain::none}
                                        : std::vector{Gain::given, Gain::one_plus, Gain::one_plus_t};
    std::vector<Contract> out;
    for (const Gain gain : gains)
        for (const Residual mix : mixes)
            for (const By by : {By::mul, By::div})
                for (const Map map : {Map::cast_first, Map::f32_gain}) {
                    Contract c = base;
                    c.map = map;
                    c.assoc = Assoc::any;
                    c.by = by;
                    c.gain = gain;
                    c.residual = mix;
                    out.push_back(c);
                }
    return out;
}

Contract widened(Contract c) {
    c.order = "any";
    c.mean = Mean::any;
    c.rsqrt = std::max(c.rsqrt, 2);
    return c;
}

}  // namespace ulpgate::judging
