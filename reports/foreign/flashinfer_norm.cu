// One instance of FlashInfer's own template, from its header.
#include <flashinfer/norm.cuh>

template __global__ void flashinfer::norm::RMSNormKernel<8, __nv_bfloat16>(__nv_bfloat16*, __nv_bfloat16*, __nv_bfloat16*, const uint32_t, const uint32_t,
                                                                           const uint32_t, float, float);
