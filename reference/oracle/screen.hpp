// L0 of the ladder in f32 lanes, for rows whose x, gain and y have one type. It decides all but 2e-5 (bf16), 2e-4 (fp16) or
// 4e-6 (f32) of the elements of ordinary rows, and says which it did not. Every bound: screen.md, beside this file.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "reference/oracle/oracle.hpp"

namespace ulpgate::screen {

inline constexpr std::size_t most_rows = 8;       // of one group
inline constexpr std::size_t shortest_row = 128;  // fp16 rows are screened from 64 on

template <class F>
struct Rows {
    const typename F::Word *x, *w;
    typename F::Word* y;
    std::size_t d;
    double eps;
};

struct Row {
    double r = 0;           // within radius_ulp64(d) - 1/2 ulp64, relative to r
    bool screened = false;  // else nothing of y was decided: special values, r or products near the range's ends, d short
    const std::uint32_t *begin = nullptr, *end = nullptr;  // undecided columns; some may stand twice
};

// h: |S64 - S| <= h 2^-53 S to first order. A term passes floor(d/32) FMAs, four additions of the lanes' tree and one of the
// tail, or up to d mod 32 additions of the tail.
constexpr double sum_height(std::size_t d) { return static_cast<double>(d / 32 + 6 + d % 32); }

// |r64/r - 1| 2^53: half the sum's, half an ulp each for the division and eps, one each for root and reciprocal.
constexpr double r_error(std::size_t d) { return sum_height(d) / 2 + 3.01; }

// |fl(q r64) - q r| in ulps of the double: its own rounding and one more for r's bound turned into ulps.
constexpr std::uint64_t radius_ulp64(std::size_t d) { return static_cast<std::uint64_t>(r_error(d)) + 2; }

// What a row's lanes multiply by, and how far off that may be.
struct Scale {
    float r = 0;             // bf16, fp16: fl32(r64). f32: the high part rh
    float low = 0, rounded = 0;  // f32: rl, about 2^-22 r, a little above r - rh on purpose; fl32(r64)
    std::uint32_t below = 0, above = 0;  // y in (y32 - below - 1, y32 + above + 1) ulp32. f32: below = N, the bracket in ulps of v
};

// The part of Scale that d alone fixes.
struct Margins {
    double t = 0;       // bf16, fp16: r64's error in ulp32, and second order terms
    double raise = 0;   // f32: c, relative
    std::uint32_t n = 0;  // f32: N
};

template <class F>
Margins margins(Oracle oracle, std::size_t d) {
    const double relative = r_error(d) * 0x1p-53;
    if constexpr (F::precision < 24) return {relative * 0x1p24 + 1e-6, 0, 0};
    const double product = oracle == Oracle::ideal ? 2 * 0x1p-48 : 0, last = 1.51 * 0x1p-46, rl = 1.26 * 0x1p-46;
    const double c = relative + product + last + rl;
    return {0, c, static_cast<std::uint32_t>(2 * c * 0x1p47 * (1 + 0x1p-9)) + 1};
}

// False: not for the lanes. rms: fl(sqrt(v)), r = fl(1/rms).
template <class F>
bool scale_row(Oracle oracle, const Margins& m, double s, double rms, double r, Scale& out) {
    if (!(s <= 0x1p300 && r > 0x1p-30 && r < 0x1p60)) return false;
    const auto rf = static_cast<float>(r);
    out.r = out.rounded = rf;
    if constexpr (F::precision < 24) {
        const double rho = (static_cast<double>(rf) - r) * rms * 0x1p24;
        out.below = static_cast<std::uint32_t>(0.5 + m.t + std::max(rho, 0.0));
        out.above = static_cast<std::uint32_t>(0.5 + m.t + std::max(-rho, 0.0));
        // Under cast_first |n| >= 2^-24 r must not fall below the window of fp16's exponent test.
        return F::precision != 11 || oracle == Oracle::ideal || r >= 0x1p-7;
    } else {
        out.r = static_cast<float>(r * (1 - 0x1p-22));
        out.low = static_cast<float>((r - static_cast<double>(out.r)) + m.raise * r);
        out.below = m.n;
        return true;
    }
}

bool available();

// Rows that share their sums' latency: x of all fits half of L1 (in cache), or shorter phases (streaming).
template <class F>
std::size_t group_size(std::size_t d, std::size_t rows) {
    const std::size_t bytes = d * sizeof(typename F::Word), fit = 2 * rows * bytes < (1u << 20) ? 16384 : 4096;
    return std::clamp<std::size_t>(fit / bytes, 1, most_rows);
}
constexpr std::size_t list_room(std::size_t d, std::size_t rows) { return (rows + 1) * (d + 256); }

// Up to most_rows rows. list: list_room(d, rows) columns. out: one a row.
template <class F, Oracle oracle>
void rows_avx2(const Rows<F>&, std::size_t rows, std::uint32_t* list, Row* out);

}  // namespace ulpgate::screen
