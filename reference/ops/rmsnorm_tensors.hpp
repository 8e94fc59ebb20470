// The tensors of every RMSNorm: the argument struct ulpgate_rmsnorm, as a table.
#pragma once
#include "reference/ops/op.hpp"

namespace ulpgate::ops {

inline constexpr auto has_gain = [](const Contract& c) { return c.gain != Gain::none; };
inline constexpr auto has_residual = [](const Contract& c) { return c.residual != Residual::none; };

inline constexpr TensorSpec rmsnorm_tensors[] = {
    {"x", Dir::in, Of::x, {Dim::rows, Dim::d}},
    {"w", Dir::in, Of::w, {Dim::d}, has_gain},
    {"residual", Dir::in, Of::res, {Dim::rows, Dim::d}, has_residual},
    {"residual_out", Dir::out, Of::res, {Dim::rows, Dim::d}, has_residual},
    {"y", Dir::out, Of::y, {Dim::rows, Dim::d}},
};

inline constexpr auto rmsnorm_derive = [](Sizes& s) { s[Dim::rows] = s[Dim::batch] * s[Dim::tokens]; };

template <std::int64_t D>
constexpr void rmsnorm_shape(Sizes& s) {
    s[Dim::batch] = s[Dim::tokens] = 1;
    s[Dim::d] = D;
}

}  // namespace ulpgate::ops
