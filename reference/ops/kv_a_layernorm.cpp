#include "reference/ops/rmsnorm_tensors.hpp"

namespace ulpgate::ops {

PIECE(Op, kv_a_layernorm) = {"kv_a_layernorm",
    "on the 512-wide slice of the 576-wide kv_a output; eps is the class default 1e-6",
    Abi::rmsnorm, rmsnorm_tensors, Dim::d, 576, rmsnorm_shape<512>, rmsnorm_derive};

}  // namespace ulpgate::ops
