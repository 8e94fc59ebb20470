// RMSNorm in AVX2, FMA and F16C, chosen at run time: this file is compiled for the baseline, each vector
// function for its own target, and the descriptor says why where the CPU lacks one.
//
// Largest error of r that `ulpgate search` found at d = 1536 (searched 5423616), of 516.110 ulp32 allowed on that row:
// witness r 27.890
//   q_a_layernorm/f32/1536/contract=cast_first,inplace=may,holds=rerun.batch.align.stride/fill=-0x1.000002p-6/
//   seg=35+1x8:0x1.c667a6p+0,567+8x81:-0x1.fffc68p-6,0+1x15:0x1p+6,3+1x9:-0x1.22d932p-1,1108+8x1:0x1.2b648ap-4,
//   220+1x4:0x1.28b21p-119,723+1x9:-0x1.22d7dcp-2,1265+32x7:-0x1.c4aecep-118,579+32x12:-0x1.fffc8p-4,
//   902+64x2:0x1.4b0d9ap-3,882+32x5:-0x1.de2f1ap-44,372+256x3:0x1.928cbep+0/gain=ones/h=365e699c37d6e2cf
#include "impls/avx2/vector.hpp"
#include "impls/kernel/entries.hpp"

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    const bool runs =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return kernel::describe<kernel::avx2::Vector>(
        "avx2", runs ? nullptr : "this CPU has no AVX2 (FMA and F16C needed too)");
}
