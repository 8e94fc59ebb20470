// The choices of version 1, in the order of its bytes. Never to be changed: see codec.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "reference/contract/contract.hpp"

namespace ulpgate::version1 {

inline constexpr std::array<Type, 3> types{Type::bf16, Type::fp16, Type::f32};
inline constexpr std::array<std::int64_t, 16> widths{8, 1, 2, 3, 7, 9, 16, 17, 31, 32, 64, 65, 128, 511, 512, 1536};
inline constexpr std::array<double, 8> epsilons{1e-6, 0, 1e-5, 0x1p-20, 0x1p-149, 1e-12, 0.5, 0x1p-126};
inline constexpr std::array<std::string_view, 3> ops{"q_a_layernorm", "final_norm", "kv_a_layernorm"};
inline constexpr std::array<Map, 4> maps{Map::cast_first, Map::f32_gain, Map::none, Map::cast_first};
inline constexpr std::array<Assoc, 4> assocs{Assoc::any, Assoc::xr_w, Assoc::x_rw, Assoc::xw_r};
inline constexpr std::array<Gain, 4> gains{Gain::given, Gain::none, Gain::one_plus, Gain::one_plus_t};
inline constexpr std::array<Residual, 8> residuals{Residual::none,          Residual::rounded,        Residual::unrounded,
                                                   Residual::var_unrounded, Residual::norm_unrounded, Residual::none,
                                                   Residual::none,          Residual::none};
inline constexpr std::array<int, 4> rsqrts{2, 0, 1, 4};
inline constexpr std::array<Mean, 4> means{Mean::any, Mean::div, Mean::recip, Mean::any};
inline constexpr std::array<std::string_view, 16> orders{
    "sequential",  "pairwise",    "lanes",     "lanes:16x1", "lanes:4x2",  "butterfly",  "cuda_block", "aten_cascade",
    "masked",      "lanes:8x1",   "lanes:8x8", "lanes:16x2", "sequential", "sequential", "sequential", "sequential"};
inline constexpr std::array<std::string_view, 8> gain_rules{"ones", "pow2", "coded", "random", "tiny", "negative", "one_plus", "master"};
inline constexpr std::array<std::string_view, 16> profiles{
    "gaussian", "absorption", "coherent",    "constant", "eps_ladder", "integer", "integers", "master",
    "onehot",   "outlier",    "random_bits", "specials", "spike",      "ties",    "threshold", "gaussian"};

}  // namespace ulpgate::version1
