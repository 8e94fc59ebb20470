// The machine's own estimate of 1/sqrt(v), where it has one.
#pragma once
#include "reference/faults/fault.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ulpgate::faults {

#if defined(__x86_64__)
inline constexpr bool has_rsqrt_estimate = true;
inline float rsqrt_estimate(float v) { return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(v))); }
#else
inline constexpr bool has_rsqrt_estimate = false;
inline float rsqrt_estimate(float v) { return rsqrt_nearest(v); }
#endif

inline std::string_view no_estimate(const Contract& c) {
    if (c.by == By::div) return "by=div takes no reciprocal root";
    return has_rsqrt_estimate ? "" : "this machine has no estimate of the reciprocal root that is known here";
}

}  // namespace ulpgate::faults
