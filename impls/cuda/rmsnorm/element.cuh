// Element types of the CUDA kernels: how 16 bytes hold them, and their conversions by name.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Bf16 {
    using Storage = __nv_bfloat16;
    __device__ static float load(Storage v) { return __bfloat162float(v); }
    __device__ static Storage store(float v) { return __float2bfloat16_rn(v); }
    __device__ static unsigned word(const Storage* p) { return __bfloat16_as_ushort(p[0]) | static_cast<unsigned>(__bfloat16_as_ushort(p[1])) << 16; }
};
struct Fp16 {
    using Storage = __half;
    __device__ static float load(Storage v) { return __half2float(v); }
    __device__ static Storage store(float v) { return __float2half_rn(v); }
    __device__ static unsigned word(const Storage* p) { return __half_as_ushort(p[0]) | static_cast<unsigned>(__half_as_ushort(p[1])) << 16; }
};
struct F32 {
    using Storage = float;
    __device__ static float load(Storage v) { return v; }
    __device__ static Storage store(float v) { return v; }
    __device__ static unsigned word(const Storage* p) { return __float_as_uint(*p); }
};

// As many elements as 16 bytes hold. The store is named: the compiler makes eight of a struct of 16-bit elements.
template <class T>
struct alignas(16) Vector {
    static constexpr int size = 16 / sizeof(typename T::Storage);
    typename T::Storage at[size];

    __device__ static Vector load(const typename T::Storage* p) { return *reinterpret_cast<const Vector*>(p); }
    __device__ void store(typename T::Storage* p) const {
        constexpr int n = size / 4;
        __stwb(reinterpret_cast<uint4*>(p), make_uint4(T::word(at), T::word(at + n), T::word(at + 2 * n), T::word(at + 3 * n)));
    }
};

template <class T>
__device__ bool vector_aligned(const typename T::Storage* p) {
    return reinterpret_cast<unsigned long long>(p) % 16 == 0;
}
