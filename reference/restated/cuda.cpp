#include "reference/restated/cuda_norm.hpp"

namespace ulpgate::restated {

PIECE(Restatement, cuda) = {"cuda", "bf16,cast_first,mean=div", "fma,rsqrt_form=recip_sqrt",
    "built in: the CUDA norms on a GPU; a warp or a block a row, by d", cuda_norm_order};

}  // namespace ulpgate::restated
