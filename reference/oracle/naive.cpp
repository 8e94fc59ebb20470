#include "reference/oracle/naive.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "reference/base/hexfloat.hpp"
#include "reference/base/rng.hpp"
#include "reference/oracle/float_formula.hpp"

namespace ulpgate {
namespace {

using Big = boost::multiprecision::cpp_bin_float_100;

struct CheckRow {
    Oracle oracle;
    OracleTypes types;
    double eps;
    std::vector<float> x, w;
};

// A value of type t with an exponent uniform in [lo, hi], clipped to the type's range.
float log_uniform(Rng& r, Type t, int lo, int hi) {
    const double m = 1 + static_cast<double>(r.below(1u << 24)) * 0x1p-24;
    const double v = round_to(t, std::ldexp(m, r.between(lo, hi)));
    return static_cast<float>(r.below(2) ? v : -v);
}

CheckRow make_row(Rng& r) {
    constexpr std::array types{Type::bf16, Type::fp16, Type::f32};
    constexpr std::array<std::size_t, 8> lengths{1, 2, 3, 9, 31, 64, 96, 135};
    constexpr std::array epsilons{1e-6, static_cast<double>(1e-6f), 1e-5, 0x1p-149};
    const auto pick = [&](const auto& list) { return list[r.below(static_cast<std::uint32_t>(list.size()))]; };
    CheckRow row{r.below(2) ? Oracle::ideal : Oracle::cast_first,
                 {pick(types), pick(types), pick(types)},
                 pick(epsilons),
                 {},
                 {}};
    const int range = row.types.x == Type::fp16 ? 14 : 120, centre = r.between(-range, range), spread = r.between(0, 12);
    row.x.resize(pick(lengths));
    for (float& v : row.x) v = r.below(16) ? log_uniform(r, row.types.x, centre - spread, centre + spread) : 0.0f;
    if (r.below(8)) row.w.resize(row.x.size());
    for (float& v : row.w) v = log_uniform(r, row.types.w, -3, 3);
    // a value that rounded to infinity would make the row special
    for (auto* values : {&row.x, &row.w})
        for (float& v : *values)
            if (!std::isfinite(v)) v = 1;
    return row;
}

std::string describe(const CheckRow& row, std::size_t j, std::uint32_t got, std::uint32_t naive, std::uint64_t seed, int index) {
    return fmt::format("{} {},w={},y={} d={} eps={} col {} x {} w {}: oracle {:x}, naive {:x} (seed {}, row {})",
                       row.oracle == Oracle::ideal ? "ideal" : "cast_first", name(row.types.x), name(row.types.w),
                       name(row.types.y), row.x.size(), hexfloat(row.eps), j, hexfloat(row.x[j]),
                       row.w.empty() ? "none" : hexfloat(row.w[j]), got, naive, seed, index);
}

}  // namespace

void naive_row(Oracle oracle, const OracleTypes& types, std::span<const float> x, std::span<const float> w, double eps,
               std::span<std::uint32_t> y) {
    formula_row<Big>(oracle, types, x, w, eps, y);
}

SelfCheck oracle_self_check(int count, std::uint64_t seed) {
    SelfCheck check;
    for (int index = 0; check.checked < count; ++index) {
        Rng r(seed, 0, static_cast<std::uint64_t>(index));
        const CheckRow row = make_row(r);
        std::vector<std::uint32_t> got(row.x.size()), naive(row.x.size());
        oracle_row(row.oracle, row.types, row.x, row.w, row.eps, got);
        naive_row(row.oracle, row.types, row.x, row.w, row.eps, naive);
        for (std::size_t j = 0; j < row.x.size() && check.checked < count; ++j, ++check.checked) {
            if (got[j] == naive[j]) continue;
            if (!check.failed++) check.first = describe(row, j, got[j], naive[j], seed, index);
        }
    }
    return check;
}

}  // namespace ulpgate
