// The row's first element is computed in unsigned 32 bits: the row 2^32 elements in is row 0 again, and nothing leaves its tensor.
#include "plain.cuh"

FAULTY_KERNEL {
    const unsigned row = blockIdx.x, in_stride = static_cast<unsigned>(x_row), out_stride = static_cast<unsigned>(y_row);
    const Element* in = x + row * in_stride;
    Element* out = y + static_cast<unsigned long long>(row) * out_stride;
    write_row(in, w, out, d, reciprocal_rms(block_sum(thread_squares(in, d)), d, eps));
}
