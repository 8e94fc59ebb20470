#include "reference/exact/dyadic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ulpgate {

using boost::multiprecision::cpp_int;

namespace {

// Both numbers' integers in the smaller of the two units, which is returned.
int align(const Dyadic& a, const Dyadic& b, cpp_int& ma, cpp_int& mb) {
    const int e = std::min(a.e, b.e);
    ma = a.m << (a.e - e);
    mb = b.m << (b.e - e);
    return e;
}

}  // namespace

Dyadic dyadic(double v) {
    int e = 0;
    const double f = std::frexp(v, &e);
    return {static_cast<std::int64_t>(std::ldexp(f, 53)), e - 53};
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.m * b.m, a.e + b.e}; }

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
    cpp_int ma, mb;
    const int e = align(a, b, ma, mb);
    return {ma + mb, e};
}

int compare(const Dyadic& a, const Dyadic& b) {
    cpp_int ma, mb;
    align(a, b, ma, mb);
    return ma.compare(mb) < 0 ? -1 : ma.compare(mb) > 0;
}

Dyadic exact_sum_of_squares(std::span<const float> x) {
    // |x| = m 2^(E - 150) with E = max(exponent field, 1), so x^2 = m^2 2^(2 (E - 1) - 298). m^2 < 2^48: 2^16 terms fit.
    constexpr std::size_t terms = 65536;
    cpp_int sum = 0;
    for (std::size_t at = 0; at < x.size(); at += terms) {
        std::array<std::uint64_t, 256> bin{};
        for (const float v : x.subspan(at, std::min(terms, x.size() - at))) {
            const std::uint32_t a = std::bit_cast<std::uint32_t>(v) & 0x7fffffffu, field = a >> 23;
            const std::uint64_t m = (a & 0x7fffffu) | (field ? 0x800000u : 0u);
            bin[field ? field : 1] += m * m;
        }
        for (std::size_t k = 1; k < bin.size(); ++k)
            if (bin[k]) {
                cpp_int term = bin[k];
                term <<= 2 * (k - 1);
                sum += term;
            }
    }
    return {sum, -298};
}

}  // namespace ulpgate
