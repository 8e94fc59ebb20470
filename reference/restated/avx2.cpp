#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, avx2) = {"avx2", "bf16,cast_first", "order=masked:8x4,fma,rsqrt_form=recip_sqrt",
    "built in: four accumulators of eight lanes, FMA, masked tail, 1 / sqrtf"};

}  // namespace ulpgate::restated
