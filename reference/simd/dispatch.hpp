// Hot loops are written once, as an always-inlined body, and compiled twice: for the baseline and inside a function with
// the AVX2 target attribute. Which one runs is decided by CPUID; both give the same bits.
#pragma once

#define ULPGATE_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define ULPGATE_AVX2 __attribute__((target("avx2,fma,f16c")))
namespace ulpgate {
inline bool has_avx2() {
    static const bool yes =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return yes;
}
}  // namespace ulpgate
#else
#define ULPGATE_AVX2
namespace ulpgate {
inline bool has_avx2() { return false; }
}  // namespace ulpgate
#endif
