// The contracts that each vector kernel implements, as a table.
#pragma once
#include "impls/kernel/rmsnorm.hpp"

namespace kernel {

template <class N>
constexpr ulpgate_entry entry(const char* contract) {
    ulpgate_entry e{};
    e.size = sizeof e;
    e.contract = contract;
    e.rmsnorm = rmsnorm<N>;
    return e;
}

#define ANY_SHAPE ",holds=rerun.batch.align.stride"
#define IN_PLACE ",inplace=may" ANY_SHAPE
// One gain order in the three ways to take a residual in.
// clang-format off
#define RESIDUALS(X, W, Y, map, text)                                                          \
    entry<Norm<V, X, W, Y, map, Residual::none>>(text IN_PLACE),                               \
    entry<Norm<V, X, W, Y, map, Residual::rounded>>(text ",residual=rounded" IN_PLACE),        \
    entry<Norm<V, X, W, Y, map, Residual::unrounded>>(text ",residual=unrounded" IN_PLACE)

template <class V>
inline constexpr ulpgate_entry entries[] = {
    RESIDUALS(Bf16, Bf16, Bf16, Map::cast_first, "bf16,cast_first"),
    RESIDUALS(Fp16, Fp16, Fp16, Map::cast_first, "fp16,cast_first"),
    RESIDUALS(F32,  F32,  F32,  Map::cast_first, "f32,cast_first"),
    RESIDUALS(Bf16, Bf16, Bf16, Map::f32_gain,   "bf16,f32_gain,assoc=xr_w"),
    RESIDUALS(Fp16, Fp16, Fp16, Map::f32_gain,   "fp16,f32_gain,assoc=xr_w"),
    RESIDUALS(F32,  F32,  F32,  Map::f32_gain,   "f32,f32_gain,assoc=xr_w"),
    // Gains kept in f32: output in x's type, or promoted to f32 as the specification's arithmetic does.
    RESIDUALS(Bf16, F32,  Bf16, Map::f32_gain,   "bf16,f32_gain,w=f32,y=bf16,assoc=xr_w"),
    RESIDUALS(Fp16, F32,  Fp16, Map::f32_gain,   "fp16,f32_gain,w=f32,y=fp16,assoc=xr_w"),
    entry<Norm<V, Bf16, F32, F32, Map::cast_first, Residual::none>>("bf16,cast_first,w=f32" ANY_SHAPE),
    entry<Norm<V, Fp16, F32, F32, Map::cast_first, Residual::none>>("fp16,cast_first,w=f32" ANY_SHAPE),
};
// clang-format on

#undef RESIDUALS
#undef IN_PLACE
#undef ANY_SHAPE

// unavailable: NULL, or why this CPU cannot run V.
template <class V>
const ulpgate_descriptor* describe(const char* name, const char* unavailable) {
    static ulpgate_descriptor d{ULPGATE_HEAD};
    d.threading = ULPGATE_REENTRANT;
    d.name = name;
    d.entries = entries<V>;
    d.entry_count = sizeof entries<V> / sizeof *entries<V>;
    d.unavailable = unavailable;
    return &d;
}

}  // namespace kernel
