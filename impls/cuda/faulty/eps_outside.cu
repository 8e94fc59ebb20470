// eps is added to the root.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    const float mean = __fdiv_rn(block_sum(thread_squares(in, d)), __int2float_rn(d));
    write_row(in, w, out, d, __frcp_rn(__fadd_rn(__fsqrt_rn(mean), eps)));
}
