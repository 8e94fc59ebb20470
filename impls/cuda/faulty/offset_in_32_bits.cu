// The row's first element is computed in 32 bits: rows * stride of 2^31 elements wraps.
#include "plain.cuh"

FAULTY_KERNEL {
    const int row = blockIdx.x, in_stride = static_cast<int>(x_row), out_stride = static_cast<int>(y_row);
    const Element* in = x + static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(in_stride));
    Element* out = y + static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(out_stride));
    write_row(in, w, out, d, reciprocal_rms(block_sum(thread_squares(in, d)), d, eps));
}
