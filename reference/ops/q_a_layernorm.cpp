#include "reference/ops/rmsnorm_tensors.hpp"

namespace ulpgate::ops {

PIECE(Op, q_a_layernorm) = {"q_a_layernorm",
    "on the 1536-wide latent of q_a_proj; eps is the class default 1e-6",
    Abi::rmsnorm, rmsnorm_tensors, Dim::d, 2112, rmsnorm_shape<1536>, rmsnorm_derive};

}  // namespace ulpgate::ops
