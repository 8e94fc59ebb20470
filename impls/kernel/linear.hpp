// A projection alone, y = x w^T in f32 (the head): each sum rounded to X and widened, or as it is.
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 1522, 1614-1616. Errors as in query.hpp.
#pragma once
#include "impls/kernel/query.hpp"

namespace kernel {

template <class Vector, class XType, class WType, bool rounded_>
struct Linear {
    using V = Vector;
    using X = XType;
    using W = WType;
    static constexpr bool rounded = rounded_;
};

template <class L>
struct LinearSink {
    F32* y;
    std::int64_t stride;

    VECTOR_TARGET void operator()(std::int64_t token, std::int64_t row, std::int64_t n, const F32* sums) const {
        using V = typename L::V;
        F32* const to = y + token * stride + row;
        for (std::int64_t k = 0; k < n; k += V::lanes) {
            const int m = static_cast<int>(n - k);
            const bool whole = n - k >= V::lanes;
            V v = whole ? V::load(sums + k) : V::load(sums + k, m);
            if constexpr (L::rounded) v = v.template rounded_to<typename L::X>();
            whole ? v.store(to + k) : v.store(to + k, m);
        }
    }
};

template <class L>
std::size_t linear_workspace(const void* arguments) {
    const auto& a = *static_cast<const ulpgate_linear*>(arguments);
    const std::int64_t n = block_of(a.tokens), threads = gemm_threads(a.call.threads, a.w.w.size[0], a.x.size[1], n);
    return static_cast<std::size_t>(Panel::size(n, a.x.size[1]) + threads * scratch_size(n, L::V::lanes)) * sizeof(float);
}

template <class L>
int check(const ulpgate_linear& a) {
    if (a.tokens < 0) return ULPGATE_BAD_ARGUMENT;
    if (a.tokens == 0) return ULPGATE_OK;
    if (!is(a.x, L::X::type) || !is(a.y, ULPGATE_F32) || a.x.size[1] < 1 || a.y.size[1] != a.w.w.size[0]) return ULPGATE_BAD_ARGUMENT;
    if (a.w.bias.data || !contiguous(a.x) || !contiguous(a.y)) return ULPGATE_REFUSED;
    return check_weight<typename L::V, typename L::W>(a.w, a.w.w.size[0], a.x.size[1]);
}

template <class L>
int linear(const ulpgate_linear* a) {
    using V = typename L::V;
    if (const int status = check<L>(*a); status != ULPGATE_OK) return status;
    if (a->call.workspace_bytes < linear_workspace<L>(a)) return ULPGATE_FAILED;
    auto* const floats = static_cast<F32*>(a->call.workspace);
    const std::int64_t columns = a->x.size[1], threads = gemm_threads(a->call.threads, a->w.w.size[0], columns, block_of(a->tokens));
    for (std::int64_t first = 0; first < a->tokens; first += token_block) {
        const Panel x{floats, block_of(a->tokens - first), columns};
        for (std::int64_t i = 0; i < x.tokens; ++i) widen<V>(x, i, static_cast<const typename L::X*>(a->x.data) + (first + i) * a->x.stride[0]);
        const LinearSink<L> sink{static_cast<F32*>(a->y.data) + first * a->y.stride[0], a->y.stride[0]};
        Gemm<V, typename L::W, LinearSink<L>>{x, weights<typename L::W>(a->w), sink, floats + Panel::size(block_of(a->tokens), columns), threads}.run();
    }
    return ULPGATE_OK;
}

}  // namespace kernel
