// Element types of the CUDA kernels: how 16 bytes hold them, and their conversions by name.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Bf16 {
    using Storage = __nv_bfloat16;
    __device__ static float load(Storage v) { return __bfloat162float(v); }
    __device__ static Storage store(float v) { return __float2bfloat16_rn(v); }
};
struct Fp16 {
    using Storage = __half;
    __device__ static float load(Storage v) { return __half2float(v); }
    __device__ static Storage store(float v) { return __float2half_rn(v); }
};
struct F32 {
    using Storage = float;
    __device__ static float load(Storage v) { return v; }
    __device__ static Storage store(float v) { return v; }
};

// As many elements as 16 bytes hold.
template <class T>
struct alignas(16) Vector {
    static constexpr int size = 16 / sizeof(typename T::Storage);
    typename T::Storage at[size];
};

template <class T>
__device__ bool vector_aligned(const typename T::Storage* p) {
    return reinterpret_cast<unsigned long long>(p) % 16 == 0;
}
