// The kernel that the others change.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    write_row(in, w, out, d, reciprocal_rms(block_sum(thread_squares(in, d)), d, eps));
}
