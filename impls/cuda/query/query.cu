// The kernels of the query path and of a projection alone, each with C linkage. query.toml says which make up a path, in which order.
#include "normed.cuh"
#include "rotary.cuh"
#include "simt.cuh"

#define PROJECTION(name, ...) \
    extern "C" __global__ void __launch_bounds__(128) name(Projection p) { __VA_ARGS__(p); }
#define TENSOR_CORE(name, T, tokens) \
    extern "C" __global__ void __launch_bounds__(128) name(Projection p) { project_tensor_core<T>(p, Weights<T>{p}, Tokens<T, tokens>{p}); }
TENSOR_CORE(tensor_core_bf16_8, Bf16, 8)
TENSOR_CORE(tensor_core_bf16_32, Bf16, 32)
TENSOR_CORE(tensor_core_fp16_8, Fp16, 8)
TENSOR_CORE(tensor_core_fp16_32, Fp16, 32)
#define TENSOR_CORE_CODED(name, T, tokens) \
    extern "C" __global__ void __launch_bounds__(128) name(Projection p) { project_tensor_core<T>(p, Codes<T>{p}, Tokens<T, tokens>{p}); }
TENSOR_CORE_CODED(tensor_core_e4m3_bf16_8, Bf16, 8)
TENSOR_CORE_CODED(tensor_core_e4m3_bf16_32, Bf16, 32)
#define TENSOR_CORE_NORMED(name, T) \
    extern "C" __global__ void __launch_bounds__(128) name(Projection p, const void* gain, float eps) { project_tensor_core<T>(p, Weights<T>{p}, NormedTokens<T>(p, gain, eps)); }
TENSOR_CORE_NORMED(tensor_core_normed_bf16_8, Bf16)
TENSOR_CORE_NORMED(tensor_core_normed_fp16_8, Fp16)
PROJECTION(simt_bf16, project_simt<Bf16, Bf16, false>)
PROJECTION(simt_fp16, project_simt<Fp16, Fp16, false>)
PROJECTION(simt_f32, project_simt<F32, F32, false>)
PROJECTION(simt_e4m3_bf16, project_simt<Bf16, E4m3, true>)

// Columns from x_first and y_first on of each row.
#define NORM(name, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(1024) name(Arguments a, long long x_first, long long y_first) { \
        a.x = static_cast<const T::Storage*>(a.x) + x_first;                                                      \
        a.y = static_cast<T::Storage*>(a.y) + y_first;                                                            \
        block_row<T, Map::cast_first, false>(a);                                                                  \
    }
NORM(norm_bf16, Bf16)
NORM(norm_fp16, Fp16)
NORM(norm_f32, F32)

extern "C" __global__ void __launch_bounds__(256) rotate_one_cast_bf16(Rotation r) { rotate<Bf16, F32, false>(r); }
extern "C" __global__ void __launch_bounds__(256) rotate_three_bf16(Rotation r) { rotate<Bf16, Bf16, true>(r); }
extern "C" __global__ void __launch_bounds__(256) rotate_table_f32_fp16(Rotation r) { rotate<Fp16, Fp16, false>(r); }

// Parts of rows to a view, head by head.
struct Copy {
    const void* from;
    long long row, head, first;  // strides and the first column, in elements
    View to;
    long long to_first;
    int all_tokens, tokens, heads, columns;
};
template <class S>
__device__ void copy(const Copy& c) {
    const int width = c.heads * c.columns;
#pragma unroll 1
    for (long long token = blockIdx.x; token < c.all_tokens; token += gridDim.x)
#pragma unroll 1
        for (int n = threadIdx.x; n < width; n += blockDim.x) {
            const int head = n / c.columns, k = n % c.columns;
            *at<S>(c.to, c.tokens, token, head, c.to_first + k) = static_cast<const S*>(c.from)[token * c.row + head * c.head + c.first + k];
        }
}
extern "C" __global__ void __launch_bounds__(256) copy_bf16(Copy c) { copy<unsigned short>(c); }
extern "C" __global__ void __launch_bounds__(256) copy_fp16(Copy c) { copy<unsigned short>(c); }
extern "C" __global__ void __launch_bounds__(256) copy_f32(Copy c) { copy<unsigned>(c); }
