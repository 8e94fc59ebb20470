#include "reference/oracle/oracle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/exact/pair.hpp"
#include "reference/exact/sum.hpp"
#include "reference/formats/convert.hpp"
#include "reference/oracle/ladder.hpp"
#include "reference/oracle/lanes.hpp"
#include "reference/oracle/packed.hpp"
#include "reference/oracle/screen.hpp"

namespace ulpgate {
namespace {

// r where IEEE rules give it: NaN for a NaN, 0 for an infinity, inf for v = 0; negative: none of these.
double special_r(std::span<const float> x, double eps) {
    bool nan = false, inf = false, zero = eps == 0;
    for (const float v : x) {
        nan |= std::isnan(v);
        inf |= std::isinf(v);
        zero &= v == 0;
    }
    if (nan) return std::numeric_limits<double>::quiet_NaN();
    if (inf) return 0;
    return zero ? std::numeric_limits<double>::infinity() : -1;
}

bool is_special(std::span<const float> x, double eps) {
    const double s = sum_of_squares(x).hi;  // not finite when an x is not
    return !std::isfinite(s) || (s == 0 && eps == 0);
}

struct RowJob {
    Oracle oracle;
    OracleTypes types;
    std::span<const float> x, w;
    double gain(std::size_t j) const { return w.empty() ? 1.0 : static_cast<double>(w[j]); }
};

// r is 0, inf or NaN: every product is a zero, an infinity or NaN, so double arithmetic gives what any type would.
void special_row(const RowJob& job, double r, std::span<std::uint32_t> y) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = encode(job.types.y, job.gain(j) * (job.x[j] * r));
}

template <class T, class Y>
std::uint32_t scalar_element(const RowJob& job, Ladder& ladder, std::size_t j) {
    const double x = job.x[j], w = job.gain(j);
    if (job.oracle == Oracle::cast_first) return Y::encode(w * static_cast<double>(T::decode(ladder.round<T>(x))));
    const double q = w * x;  // exact: 48 bits
    return std::isfinite(q) ? ladder.round<Y>(q) : Y::encode(q);
}

template <class T, class Y>
void ordinary_row(const RowJob& job, double eps, std::span<std::uint32_t> y, OracleStats& stats) {
    Ladder ladder(job.x, eps, stats);
    const bool cast_first = job.oracle == Oracle::cast_first;
    const auto scalar = [&](std::size_t from, std::size_t to) {
        for (std::size_t j = from; j < to; ++j) y[j] = scalar_element<T, Y>(job, ladder, j);
    };
    constexpr std::size_t room = 64;
    std::array<std::uint32_t, room> undecided;
    std::size_t at = 0;
    while (const std::size_t blocks = std::min((y.size() - at) / lane_block, room)) {
        const LaneJob lanes{.x = job.x.data() + at,
                            .w = job.w.empty() ? nullptr : job.w.data() + at,
                            .r = ladder.r(),
                            .cast_first = cast_first,
                            .first = cast_first ? rounding_to<T>() : rounding_to<Y>(),
                            .second = rounding_to<Y>()};
        const std::size_t n = round_blocks(lanes, blocks, y.data() + at, undecided.data());
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t from = at + undecided[k] * lane_block;
            scalar(from, from + lane_block);
        }
        at += blocks * lane_block;
    }
    scalar(at, y.size());
}

// Packs the row for the f32 lanes. False: not for them, since a short row, other types, or a value that its type cannot hold.
bool by_screen(Oracle oracle, const OracleTypes& types, std::span<const float> x, std::span<const float> w, double eps,
               std::span<std::uint32_t> y, OracleStats* stats) {
    const std::size_t d = x.size();
    if (types.x != types.y || types.x != types.w || d < screen::shortest_row || !screen::available()) return false;
    PackedRows job{types.x, x.data(), w.empty() ? nullptr : w.data(), y.data(), 1, d, eps};
    if (types.x == Type::f32) {
        oracle_rows(oracle, job, stats);
        return true;
    }
    std::vector<std::uint16_t> words(3 * d);
    std::vector<float> back(d);
    const auto fits = [&](std::span<const float> v, std::uint16_t* out) {
        encode_words(types.x, v, reinterpret_cast<std::byte*>(out));
        decode_words(types.x, reinterpret_cast<const std::byte*>(out), back);
        std::uint32_t differ = 0;
        for (std::size_t j = 0; j < d; ++j) differ |= std::bit_cast<std::uint32_t>(v[j]) ^ std::bit_cast<std::uint32_t>(back[j]);
        return differ == 0;  // a NaN that is not the type's own differs too
    };
    if (!fits(x, words.data()) || (!w.empty() && !fits(w, words.data() + d))) return false;
    job.x = words.data();
    if (!w.empty()) job.w = words.data() + d;
    job.y = words.data() + 2 * d;
    oracle_rows(oracle, job, stats);
    for (std::size_t j = 0; j < d; ++j) y[j] = words[2 * d + j];
    return true;
}

}  // namespace

void oracle_row(Oracle oracle, const OracleTypes& types, std::span<const float> x, std::span<const float> w, double eps,
                std::span<std::uint32_t> y, OracleStats* stats) {
    if (!by_screen(oracle, types, x, w, eps, y, stats)) oracle_row_f64(oracle, types, x, w, eps, y, stats);
}

void oracle_row_f64(Oracle oracle, const OracleTypes& types, std::span<const float> x, std::span<const float> w, double eps,
                    std::span<std::uint32_t> y, OracleStats* stats) {
    OracleStats unused;
    OracleStats& count = stats ? *stats : unused;
    const RowJob job{oracle, types, x, w};
    count.elements += x.size();
    count.unscreened_rows++;
    if (is_special(x, eps)) {
        count.special_rows++;
        return special_row(job, special_r(x, eps), y);
    }
    with_format(types.x, [&](auto t) {
        with_format(types.y, [&](auto v) { ordinary_row<decltype(t), decltype(v)>(job, eps, y, count); });
    });
}

double ideal_r(std::span<const float> x, double eps) {
    if (is_special(x, eps)) return special_r(x, eps);
    OracleStats unused;
    return Ladder(x, eps, unused).r();
}

}  // namespace ulpgate
