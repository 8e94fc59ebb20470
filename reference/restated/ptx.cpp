#include "reference/restated/cuda_norm.hpp"

namespace ulpgate::restated {

PIECE(Restatement, ptx) = {"ptx", "bf16,cast_first,mean=div", "fma,rsqrt_form=recip_sqrt",
    "built in: the CUDA norms, their PTX executed on the CPU; a warp or a block a row, by d", cuda_norm_order};

}  // namespace ulpgate::restated
