// The certified reference over rows as they lie in memory: x, gain and y packed in one type's words. The same words as
// oracle_row's, at the speed of f32 lanes: what a judge of many rows and `ulpgate bench` use.
#pragma once
#include <cstddef>
#include <cstdint>

#include "reference/oracle/oracle.hpp"

namespace ulpgate {

// rows x d words of `type` (bf16, fp16 or f32), rows side by side. y overlaps neither x nor w.
struct PackedRows {
    Type type;
    const void* x;
    const void* w;  // d words; null: no gain
    void* y;
    std::size_t rows, d;  // d: 1 to 2^24
    double eps;           // finite, >= 0
};

void oracle_rows(Oracle, const PackedRows&, OracleStats* = nullptr);

namespace portable {  // the same words without AVX2
void oracle_rows(Oracle, const PackedRows&, OracleStats* = nullptr);
}

}  // namespace ulpgate
