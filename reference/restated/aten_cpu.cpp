#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, aten_cpu) = {"aten_cpu", "bf16,cast_first", "order=aten_cascade,rsqrt_form=recip_sqrt",
    "the specification in eager PyTorch on an x86 CPU with AVX2: x.pow(2).mean(-1), rsqrt, cast, gain"};

}  // namespace ulpgate::restated
