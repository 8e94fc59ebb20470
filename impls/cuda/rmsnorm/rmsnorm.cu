// The kernels by contract, each with C linkage. The launch description beside this file says how each is called.
#include "rmsnorm.cuh"

#define KERNEL(name, shape, T, map, residual) \
    extern "C" __global__ void __launch_bounds__(1024) name(Arguments a) { shape##_row<T, Map::map, residual>(a); }
#define KERNELS(shape)                                                    \
    KERNEL(shape##_bf16_cast_first, shape, Bf16, cast_first, false)       \
    KERNEL(shape##_fp16_cast_first, shape, Fp16, cast_first, false)       \
    KERNEL(shape##_f32, shape, F32, cast_first, false)                    \
    KERNEL(shape##_bf16_f32_gain, shape, Bf16, f32_gain, false)           \
    KERNEL(shape##_fp16_f32_gain, shape, Fp16, f32_gain, false)

KERNELS(block)
KERNELS(warp)
KERNEL(block_bf16_cast_first_residual, block, Bf16, cast_first, true)
KERNEL(block_fp16_cast_first_residual, block, Fp16, cast_first, true)
KERNEL(block_f32_residual, block, F32, cast_first, true)
KERNEL(block_bf16_f32_gain_residual, block, Bf16, f32_gain, true)
KERNEL(block_fp16_f32_gain_residual, block, Fp16, f32_gain, true)
