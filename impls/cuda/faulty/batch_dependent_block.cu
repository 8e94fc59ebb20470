// Right in itself: its launch description takes another block from 256 rows on, and claims that the batch changes no bit.
#include "plain.cuh"

FAULTY_KERNEL {
    ROWS;
    write_row(in, w, out, d, reciprocal_rms(block_sum(thread_squares(in, d)), d, eps));
}
