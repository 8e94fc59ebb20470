// The storage types that kernels read and write, as distinct types, so that a vector type overloads on them.
#pragma once
#include <cstdint>

#include "impls/ulpgate_kernel.h"

namespace kernel {

struct Bf16 {
    static constexpr std::uint32_t type = ULPGATE_BF16;
    std::uint16_t word;
};
struct Fp16 {
    static constexpr std::uint32_t type = ULPGATE_F16;
    std::uint16_t word;
};
struct E4m3 {  // read only: weights
    static constexpr std::uint32_t type = ULPGATE_E4M3;
    std::uint8_t word;
};
struct F32 {
    static constexpr std::uint32_t type = ULPGATE_F32;
    float value;
};

}  // namespace kernel
