/* Right, and claims so: x divided by the root, the sum in five lanes of fused multiply-adds. */
#include "impls/byhand/out.h"

static int norm(const ulpgate_rmsnorm *a) {
    for (int64_t row = 0; row < a->rows; ++row) {
        float lane[5] = {0};
        for (int64_t i = 0; i < a->d; ++i) lane[i % 5] = fmaf(x_at(a, row, i), x_at(a, row, i), lane[i % 5]);
        const float s = lane[0] + (lane[1] + lane[2]) + (lane[3] + lane[4]);
        const float rms = sqrtf(s / (float)a->d + (float)a->eps);
        for (int64_t i = 0; i < a->d; ++i) put(a, row, i, rounded(a->x.type, x_at(a, row, i) / rms));
    }
    return ULPGATE_OK;
}

OUT_KERNEL("honest_divide", "none", OUT_ENTRY("bf16,cast_first,by=div"), OUT_ENTRY("fp16,cast_first,by=div"),
           OUT_ENTRY("f32,cast_first,by=div"))
