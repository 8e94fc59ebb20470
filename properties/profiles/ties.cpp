#include <algorithm>
#include <cmath>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int unit = 36;          // sums of squares are counted in units of 2^-72
constexpr std::size_t tail = 24;  // columns that complete the sum

int width(Wide v) {
    const auto high = static_cast<std::uint64_t>(v >> 64);
    return high ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(v));
}

struct Square {
    std::uint64_t m = 0;  // the root is m 2^s units of 2^-36
    int s = 0;
    Wide value() const { return Wide{m} * m << 2 * s; }
};

// The largest m 2^s of p bits whose square is at most v.
Square largest(Wide v, int p) {
    const int s = std::max(0, (width(v) - 2 * p + 1) / 2);
    return {
        static_cast<std::uint64_t>(std::sqrt(static_cast<double>(static_cast<std::uint64_t>(v >> 2 * s)))),
        s};
}

// An odd X of at most p bits for which X times the gain has exactly p + 1 bits, the last of them set: a tie.
// 0: none.
std::uint64_t tying(Rng& r, float gain, int p) {
    if (gain == 0) return 0;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(gain);
    std::uint64_t o = (bits & 0x7fffff) | (bits >> 23 & 255 ? 0x800000u : 0u);
    o >>= std::countr_zero(o);
    const std::uint64_t lo = (std::uint64_t{1} << p) / o + 1, hi = ((std::uint64_t{2} << p) - 1) / o;
    const std::uint64_t first = lo | 1;
    if (first > hi || first >> p) return 0;
    return first +
           2 * r.below(static_cast<std::uint32_t>(std::min<std::uint64_t>((hi - first) / 2 + 1, 1u << 20)));
}

// S/d + eps = 4^k exactly (where the type's squares reach the last bit of d eps), so that r = 2^-k and w x r
// ties wherever w x does; half the rows add one smallest subnormal to S, which no f32 sum and no
// hundred-digit float sees: RN of the true value then falls to the other side of every tie.
void fill(const RowRequest& q, std::span<float> x) {
    Rng r = q.rng;
    const int p = q.type == Type::bf16 ? 8 : q.type == Type::fp16 ? 11 : 24;
    const int finest = q.type == Type::fp16 ? 12 : 0;  // its smallest subnormal is 2^12 units
    const std::size_t d = x.size(), body = d > 2 * tail ? d - tail : d / 2;
    Wide sum = 0;
    std::fill(x.begin(), x.end(), 0.0f);
    for (std::size_t j = 0; j + 1 < body; ++j) {
        const std::uint64_t m = tying(r, q.w.empty() ? 1.0f : q.w[j], p);
        if (!m) continue;
        const int s = unit - p + r.between(-2, 1);  // about 1
        x[j] = build::either_sign(r, build::scaled(static_cast<double>(m), s - unit));
        sum += Square{m, s}.value();
    }
    const auto eps = static_cast<Wide>(std::min(q.eps, 0x1p10) * 0x1p72);
    int k = 0;
    while ((Wide{d} << 2 * (unit + k)) < sum + Wide{d} * eps) ++k;
    Wide left = (Wide{d} << 2 * (unit + k)) - sum - Wide{d} * eps;
    for (std::size_t j = body; j < d && left >> 2 * finest; ++j) {
        Square next = largest(left >> 2 * finest, p);
        next.s += finest;
        x[j] = build::scaled(static_cast<double>(next.m), next.s - unit);
        left -= next.value();
    }
    if (body && r.below(2)) x[body - 1] = with_format(q.type, [](auto f) { return f.decode(1); });
}

}  // namespace

PIECE(Profile, ties) = {
    "ties", "1/r is a power of two and w x has one bit too many: outputs tie, or miss a tie by 2^-266",
    fill,   nullptr,
    true,   [](std::int64_t d) { return std::clamp<std::int64_t>(131072 / d, 16, 64); },
    "coded"};

}  // namespace ulpgate::profiles
