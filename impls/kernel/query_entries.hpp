// The contracts of the query path that each vector kernel implements, as a table.
#pragma once
#include "impls/kernel/linear.hpp"
#include "impls/kernel/query.hpp"

namespace kernel {

template <class Q>
constexpr ulpgate_entry query_entry(const char* contract) {
    ulpgate_entry e{};
    e.size = sizeof e;
    e.contract = contract;
    e.mla_query = mla_query<Q>;
    e.workspace = query_workspace<Q>;
    return e;
}
template <class L>
constexpr ulpgate_entry linear_entry(const char* contract) {
    ulpgate_entry e{};
    e.size = sizeof e;
    e.contract = contract;
    e.linear = linear<L>;
    e.workspace = linear_workspace<L>;
    return e;
}

#define ANY_SHAPE ",holds=rerun.batch.align.stride"
template <class V>
inline constexpr ulpgate_entry query_entries[] = {
    query_entry<Query<V, Bf16, Bf16, Map::cast_first>>("bf16,cast_first" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::cast_first>>("bf16,cast_first,taps=out" ANY_SHAPE),
    query_entry<Query<V, Fp16, Fp16, Map::cast_first>>("fp16,cast_first,taps=out" ANY_SHAPE),
    query_entry<Query<V, F32, F32, Map::cast_first>>("f32,cast_first,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, E4m3, Map::cast_first>>("bf16,cast_first,weights=e4m3:128x128,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::f32_gain>>("bf16,f32_gain,assoc=xr_w,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::cast_first>>("bf16,cast_first,bias=before,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::cast_first, true>>("bf16,cast_first,bias=after,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::cast_first>>("bf16,cast_first,kv=fused,absorb=yes,rope=one_cast" ANY_SHAPE),
    query_entry<Query<V, Bf16, E4m3, Map::cast_first>>("bf16,cast_first,weights=e4m3:128x128,kv=fused,absorb=yes,rope=one_cast,taps=out" ANY_SHAPE),
    query_entry<Query<V, Bf16, Bf16, Map::cast_first, false, true>>("bf16,cast_first,rope=three,taps=out" ANY_SHAPE),
    query_entry<Query<V, Fp16, Fp16, Map::cast_first>>("fp16,cast_first,kv=fused,rope=table_f32,taps=out" ANY_SHAPE),
    linear_entry<Linear<V, Bf16, Bf16, true>>("bf16,cast_first" ANY_SHAPE),
    linear_entry<Linear<V, Fp16, Fp16, true>>("fp16,cast_first" ANY_SHAPE),
    linear_entry<Linear<V, F32, F32, true>>("f32,cast_first" ANY_SHAPE),
    linear_entry<Linear<V, Bf16, Bf16, false>>("bf16,cast_first,logits=f32" ANY_SHAPE),
    linear_entry<Linear<V, Bf16, E4m3, true>>("bf16,cast_first,weights=e4m3:128x128" ANY_SHAPE),
};
#undef ANY_SHAPE

// unavailable: NULL, or why this CPU cannot run V.
template <class V>
const ulpgate_descriptor* describe_query(const char* name, const char* unavailable) {
    static ulpgate_descriptor d{ULPGATE_HEAD};
    d.threading = ULPGATE_REENTRANT;
    d.name = name;
    d.entries = query_entries<V>;
    d.entry_count = sizeof query_entries<V> / sizeof *query_entries<V>;
    d.unavailable = unavailable;
    return &d;
}

}  // namespace kernel
