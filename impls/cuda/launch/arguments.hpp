// The tensors of an argument struct, each with its name in a launch description.
#pragma once
#include <string_view>
#include <type_traits>

#include "impls/ulpgate_kernel.h"

namespace ulpgate::launch {

// f(name, tensor, written). In place, an output lies where an input does: outputs come first, so that they are found as writable.
template <class A, class F>
void for_each_tensor(A& a, F f) {
    const auto weight = [&](std::string_view name, std::string_view scale, std::string_view bias, auto& w) {
        f(name, w.w, false);
        f(scale, w.scale, false);
        f(bias, w.bias, false);
    };
    using Plain = std::remove_const_t<A>;
    if constexpr (std::is_same_v<Plain, ulpgate_rmsnorm>) {
        f("y", a.y, true);
        f("residual_out", a.residual_out, true);
        f("rstd", a.rstd, true);
        f("x", a.x, false);
        f("w", a.w, false);
        f("beta", a.beta, false);
        f("residual", a.residual, false);
    } else if constexpr (std::is_same_v<Plain, ulpgate_mla_query>) {
        f("q_nope", a.q_nope, true);
        f("q_pe", a.q_pe, true);
        f("q", a.q, true);
        f("q_absorbed", a.q_absorbed, true);
        f("k_input", a.k_input, true);
        f("tap_a", a.tap_a, true);
        f("tap_norm", a.tap_norm, true);
        f("tap_q_b", a.tap_q_b, true);
        f("h", a.h, false);
        weight("a", "a_scale", "a_bias", a.a);
        weight("q_b", "q_b_scale", "q_b_bias", a.q_b);
        f("q_gain", a.q_gain, false);
        f("kv_gain", a.kv_gain, false);
        f("k_c", a.k_c, false);
        f("positions", a.positions, false);
        f("cos_sin", a.cos_sin, false);
    } else {
        static_assert(std::is_same_v<Plain, ulpgate_linear>);
        f("y", a.y, true);
        f("x", a.x, false);
        weight("w", "w_scale", "w_bias", a.w);
    }
}

}  // namespace ulpgate::launch
