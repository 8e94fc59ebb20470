#include "reference/query/rope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpgate {
namespace {

constexpr double u = 0x1p-24, eta = 0x1p-150;

// T(x c + y s): with products rounded to T or f32, the sum in f32.
float once(Rope rope, Type t, float x, float c, float y, float s) {
    float p = x * c, q = y * s;
    if (rope == Rope::three) p = round_to(t, p), q = round_to(t, q);
    return round_to(t, p + q);
}

double lost(double product) { return static_cast<double>(static_cast<float>(product)) == product ? 0 : std::max(u * std::fabs(product), eta); }

Range allowed(Rope rope, Type t, const Range& x, double c, const Range& y, double s) {
    Range out;
    bool begun = false;
    const auto join = [&](float lo, float hi) {
        if (!std::isfinite(lo) || !std::isfinite(hi)) out.free = true;
        out.lo = begun ? std::min(out.lo, lo) : lo;
        out.hi = begun ? std::max(out.hi, hi) : hi;
        begun = true;
    };
    for (const float a : {x.lo, x.hi})
        for (const float b : {y.lo, y.hi}) {
            if (rope == Rope::three) {
                const float v = once(rope, t, a, static_cast<float>(c), b, static_cast<float>(s));
                join(v, v);
                continue;
            }
            // Both products are exact in f64; each may be rounded to f32 or fused into the sum.
            const double p = static_cast<double>(a) * c, q = static_cast<double>(b) * s, v = p + q, e = lost(p) + lost(q);
            if (e == 0 && v - q == p && v - p == q && static_cast<double>(static_cast<float>(v)) == v) {
                join(round_to(t, v), round_to(t, v));
                continue;
            }
            const double r = (e + u * (std::fabs(v) + e) + eta) * (1 + 0x1p-40) + std::fabs(v) * 0x1p-52;
            join(round_to(t, v - r), round_to(t, v + r));
        }
    return out;
}

bool special(const Range& r) { return !r.free && !(std::isfinite(r.lo) && std::isfinite(r.hi)); }

}  // namespace

std::array<float, 2> rotated_once(Rope rope, Type t, float a, float b, Angle v) { return {once(rope, t, a, v.c, -b, v.s), once(rope, t, b, v.c, a, v.s)}; }

std::array<Range, 2> rotated(Rope rope, Type t, const Range& a, const Range& b, Angle v) {
    if (a.free || b.free) return {Range{0, 0, true}, Range{0, 0, true}};
    if (special(a) || special(b)) {  // IEEE's answer, the same in every form
        const auto y = rotated_once(rope, t, a.lo, b.lo, v);
        return {Range::of(y[0]), Range::of(y[1])};
    }
    return {allowed(rope, t, a, static_cast<double>(v.c), Range{-b.hi, -b.lo}, static_cast<double>(v.s)),
            allowed(rope, t, b, static_cast<double>(v.c), a, static_cast<double>(v.s))};
}

}  // namespace ulpgate
