#include "reference/ops/rmsnorm_tensors.hpp"

namespace ulpgate::ops {

PIECE(Op, final_norm) = {"final_norm",
    "after block 61, before the untied head; eps is the config's rms_norm_eps",
    Abi::rmsnorm, rmsnorm_tensors, Dim::d, 0, rmsnorm_shape<7168>, rmsnorm_derive};

}  // namespace ulpgate::ops
