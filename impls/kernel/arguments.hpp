// What a vector kernel can do with the arguments of a call.
#pragma once
#include "impls/ulpgate_kernel.h"

namespace kernel {

// Neighbouring elements of the last dimension lie side by side (a single element always does).
inline bool contiguous(const ulpgate_tensor& t) {
    if (t.rank == 0) return true;
    return t.size[t.rank - 1] <= 1 || t.stride[t.rank - 1] == 1;
}

inline bool is(const ulpgate_tensor& t, std::uint32_t type) { return t.data && t.type == type; }

// ULPGATE_OK; ULPGATE_REFUSED for what the contract allows and these kernels do not do (strided columns,
// options that no entry claims); ULPGATE_BAD_ARGUMENT for what no contract allows.
template <class N>
int check(const ulpgate_rmsnorm& a) {
    if (a.rows < 0 || a.d < 1) return ULPGATE_BAD_ARGUMENT;
    if (a.d_stat != a.d || a.beta.data || a.rstd.data || a.scale.data) return ULPGATE_REFUSED;
    if (N::has_residual != (a.residual.data != nullptr)) return ULPGATE_REFUSED;
    if (a.rows == 0) return ULPGATE_OK;
    if (!is(a.x, N::X::type) || !is(a.w, N::W::type) || !is(a.y, N::Y::type)) return ULPGATE_BAD_ARGUMENT;
    if (!contiguous(a.x) || !contiguous(a.w) || !contiguous(a.y)) return ULPGATE_REFUSED;
    if (N::has_residual) {
        if (!is(a.residual, N::X::type) || !is(a.residual_out, N::X::type)) return ULPGATE_BAD_ARGUMENT;
        if (!contiguous(a.residual) || !contiguous(a.residual_out)) return ULPGATE_REFUSED;
    }
    return ULPGATE_OK;
}

}  // namespace kernel
