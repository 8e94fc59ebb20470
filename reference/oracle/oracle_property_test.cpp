// Relations that real arithmetic keeps and rounding must not break, away from the range's ends. Generated over bits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {
namespace {

struct Row {
    Oracle oracle;
    OracleTypes types;
    std::vector<float> x, w;
    std::vector<std::uint32_t> y(double eps) const {
        std::vector<std::uint32_t> out(x.size());
        oracle_row(oracle, types, x, w, eps, out);
        return out;
    }
};

// A normal value of t with an exponent in [-reach, reach], from 32 random bits.
float value_of(Type t, std::uint32_t bits, int reach) {
    const float m = std::bit_cast<float>((bits & 0x807fffffu) | 0x3f800000u);
    return round_to(t, std::ldexp(m, static_cast<int>(bits >> 23 & 255) % (2 * reach + 1) - reach));
}

Row any_row(int reach) {
    const auto type = [] { return *rc::gen::element(Type::bf16, Type::fp16, Type::f32); };
    Row row{*rc::gen::element(Oracle::ideal, Oracle::cast_first), {type(), type(), type()}, {}, {}};
    const auto bits = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>()));
    const auto repeats = *rc::gen::inRange<std::size_t>(1, 4);  // long enough for the lanes as well
    for (std::size_t k = 0; k < repeats; ++k)
        for (const std::uint32_t b : bits) {
            row.x.push_back(value_of(row.types.x, b + static_cast<std::uint32_t>(k) * 0x9e3779b9u, reach));
            row.w.push_back(value_of(row.types.w, b * 0x85ebca6bu, 3));
        }
    return row;
}

double any_eps() { return *rc::gen::element(0.0, 1e-6, static_cast<double>(1e-6f), 1e-5); }

RC_GTEST_PROP(OracleRelations, M1ScalingXByAPowerOfTwoAndEpsByItsSquareKeepsTheBits, ()) {
    const int k = *rc::gen::inRange(-6, 7);
    const Row row = any_row(5);
    const double eps = any_eps();
    Row scaled = row;
    for (float& v : scaled.x) v = std::ldexp(v, k);
    RC_ASSERT(scaled.y(std::ldexp(eps, 2 * k)) == row.y(eps));
}

RC_GTEST_PROP(OracleRelations, M5ScalingTheGainByAPowerOfTwoChangesExponentsOnly, ()) {
    const int k = *rc::gen::inRange(-4, 5);
    const Row row = any_row(3);
    const double eps = any_eps();
    Row scaled = row;
    for (float& v : scaled.w) v = std::ldexp(v, k);
    const auto a = row.y(eps), b = scaled.y(eps);
    for (std::size_t j = 0; j < a.size(); ++j) {
        const float before = decode(row.types.y, a[j]), after = decode(row.types.y, b[j]);
        const float smallest = std::ldexp(1.0f, row.types.y == Type::fp16 ? -14 : -126);
        if (std::isinf(before) || std::isinf(after) || std::fabs(before) < smallest || std::fabs(after) < smallest) continue;
        RC_ASSERT(after == std::ldexp(before, k));
    }
}

RC_GTEST_PROP(OracleRelations, M2FlippingASignFlipsThatOutputsSignOnly, ()) {
    const Row row = any_row(10);
    const double eps = any_eps();
    Row flipped = row;
    for (std::size_t j = 0; j < row.x.size(); j += 2) flipped.x[j] = -row.x[j];
    for (std::size_t j = 0; j < row.w.size(); j += 3) flipped.w[j] = -row.w[j];
    const auto a = row.y(eps), b = flipped.y(eps);
    const std::uint32_t sign = std::uint32_t{1} << (8 * bytes(row.types.y) - 1);
    for (std::size_t j = 0; j < a.size(); ++j) RC_ASSERT(b[j] == (a[j] ^ ((j % 2 == 0) != (j % 3 == 0) ? sign : 0)));
}

}  // namespace
}  // namespace ulpgate
