// For the profiles' tests: a case's rows, decoded, and what classes of values they hold.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"

namespace ulpgate {

inline constexpr Type types[] = {Type::bf16, Type::fp16, Type::f32};

struct Rows {  // of one made case, decoded
    Tensors tensors;
    std::vector<std::vector<float>> x, residual;
    std::vector<float> w;
};

inline Rows rows_of(const std::string& line) {
    Case c;
    const auto bad = parse(line, c);
    EXPECT_FALSE(bad) << line << ": " << bad->what;
    Made m = make(c);
    EXPECT_EQ(m.error, "") << line;
    Rows r{std::move(m.tensors), {}, {}, {}};
    const auto read = [](const Tensor* t, std::vector<std::vector<float>>& out) {
        for (std::int64_t i = 0; t && i < t->rows(); ++i) {
            out.emplace_back(static_cast<std::size_t>(t->width()));
            t->read_row(i, out.back());
        }
    };
    read(r.tensors.find("x"), r.x);
    read(r.tensors.find("residual"), r.residual);
    std::vector<std::vector<float>> w;
    read(r.tensors.find("w"), w);
    if (!w.empty()) r.w = w[0];
    return r;
}
inline Rows rows_of(Type t, int d, const std::string& rest) {
    return rows_of("q_a_layernorm/" + std::string(name(t)) + "/" + std::to_string(d) + "/" + rest);
}

inline double sum(const std::vector<float>& x) {
    double s = 0;
    for (const float v : x) s += static_cast<double>(v) * static_cast<double>(v);
    return s;
}
inline double rms(const std::vector<float>& x) { return std::sqrt(sum(x) / static_cast<double>(x.size())); }

struct Reached {  // classes of values
    std::set<int> binades;
    int subnormal = 0, zero = 0, minus_zero = 0, nan = 0, inf = 0, minus_inf = 0, negative = 0, largest = 0;
    void add(Type t, float v) {
        with_format(t, [&](auto f) {
            const auto w = f.encode(v);
            if (f.is_nan(w)) {
                ++nan;
                return;
            }
            negative += std::signbit(v);
            if (f.is_inf(w)) {
                ++(v < 0 ? minus_inf : inf);
                return;
            }
            if (v == 0) {
                ++zero, minus_zero += std::signbit(v);
                return;
            }
            subnormal += f.is_subnormal(w);
            largest += (w & f.abs_mask) == f.max_word;
            binades.insert(std::ilogb(v));
        });
    }
};
inline Reached reached(Type t, const Rows& r) {
    Reached out;
    for (const auto& row : r.x)
        for (const float v : row) out.add(t, v);
    return out;
}
inline int smallest_exponent(Type t) {
    return with_format(t, [](auto f) { return f.emin - f.mantissa_bits; });
}

}  // namespace ulpgate
