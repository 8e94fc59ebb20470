#include "reference/admissible/element_set.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace ulpgate {
namespace {

// Position on the line of values; -0 stands before +0. Nothing for NaN.
std::optional<std::int64_t> place(Type t, std::uint32_t word) {
    return with_format(t, [word](auto f) -> std::optional<std::int64_t> {
        const auto w = static_cast<typename decltype(f)::Word>(word);
        if (f.is_nan(w)) return {};
        return w & f.sign_bit ? f.ordinal(w) - 1 : f.ordinal(w);
    });
}

std::uint32_t nan_word(Type t) {
    return with_format(t, [](auto f) { return static_cast<std::uint32_t>(f.nan_word); });
}

}  // namespace

bool allows(Type y, const ElementSet& s, std::uint32_t word) {
    const auto p = place(y, word), lo = place(y, s.lo), hi = place(y, s.hi);
    if (!p) return s.nan;
    return lo && hi && *lo <= *p && *p <= *hi;
}

ElementSet join(Type y, const ElementSet& a, const ElementSet& b) {
    const bool nan = a.nan || b.nan;
    if (!place(y, a.lo)) return {b.lo, b.hi, nan};
    if (!place(y, b.lo)) return {a.lo, a.hi, nan};
    return {place(y, b.lo) < place(y, a.lo) ? b.lo : a.lo, place(y, b.hi) > place(y, a.hi) ? b.hi : a.hi, nan};
}

void element_sets(const MapPiece& map, const MapTypes& types, std::span<const float> x, std::span<const float> w,
                  const StatisticSet& set, std::span<ElementSet> sets) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    struct End {
        bool allowed;
        float scalar;
    };
    const std::uint32_t none = nan_word(types.y);
    for (ElementSet& s : sets) s = {none, none, false};
    std::vector<float> out(x.size());
    for (const End& e :
         {End{set.interval, set.lo}, {set.interval, set.hi}, {set.zero, 0}, {set.inf, inf}, {set.nan, nan}}) {
        if (!e.allowed) continue;
        map.apply(types, narrow_nearest, x, w, e.scalar, out);
        for (std::size_t j = 0; j < out.size(); ++j) {
            const std::uint32_t word = encode(types.y, out[j]);
            sets[j] = join(types.y, sets[j], {word, word, !place(types.y, word)});
        }
    }
}

}  // namespace ulpgate
