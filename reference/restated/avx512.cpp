#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, avx512) = {"avx512", "bf16,cast_first", "order=masked:16x4,fma,rsqrt_form=recip_sqrt",
    "built in: four accumulators of sixteen lanes, FMA, masked tail, 1 / sqrtf"};

}  // namespace ulpgate::restated
