// The certified reference: RMSNorm in real arithmetic, rounded once where the contract rounds. Nothing here depends on a
// kernel, an order or a rounding mode; the last decisions fall to integer comparison.
//
//   ideal       y = RN_y(w x / sqrt(S/d + eps)),                  S = sum of x^2, all real
//   cast_first  y = RN_y(w RN_T(x / sqrt(S/d + eps)))             moonshotai/Kimi-K2-Instruct modeling_deepseek.py
//                                                                 at fd1984e2b7a3, lines 94-111
// eps is an explicit dyadic number: float(1e-6) and double(1e-6) are different references.
#pragma once
#include <cstdint>
#include <span>

#include "reference/formats/format.hpp"

namespace ulpgate {

enum class Oracle { ideal, cast_first };

struct OracleStats {  // how many elements each level was handed (l1: whole blocks of 32, and a row's last d mod 32)
    std::uint64_t elements = 0, l1 = 0, l2 = 0, l3 = 0, ties = 0;
    std::uint64_t unscreened_rows = 0;  // whose L0 had f64 lanes, or none
    std::uint64_t special_rows = 0;  // NaN, Inf, or v = 0: by IEEE rules instead
};

struct OracleTypes {
    Type x, w, y;  // w is also the type whose values the span of gains holds
};

// One row of 1 to 2^24 columns. x: values of types.x (bf16, fp16 or f32), w: any floats (gain bias already applied, exact),
// or empty for no gain; y: words of types.y. eps finite and >= 0. A gain of Inf or NaN follows IEEE rules in its column.
void oracle_row(Oracle, const OracleTypes&, std::span<const float> x, std::span<const float> w, double eps,
                std::span<std::uint32_t> y, OracleStats* = nullptr);

// The same words, by the ladder whose L0 has f64 lanes: for types that differ, and for rows that packed.hpp does not screen.
void oracle_row_f64(Oracle, const OracleTypes&, std::span<const float> x, std::span<const float> w, double eps,
                    std::span<std::uint32_t> y, OracleStats* = nullptr);

// r = 1/sqrt(S/d + eps) to within 2^-52 relative; inf when S/d + eps = 0, 0 when an x is infinite, NaN when one is NaN.
double ideal_r(std::span<const float> x, double eps);

}  // namespace ulpgate
