// The CUDA norms of impls/cuda/rmsnorm: vectors of 16 bytes; a warp a row up to d = 1024 where there is no residual, else a
// block of as many threads as there are vectors, in whole warps, at most 1024.
#pragma once
#include <algorithm>

#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

inline std::string cuda_norm_order(const Contract& c, std::int64_t d) {
    const std::int64_t vec = 16 / bytes(c.x), vectors = (d + vec - 1) / vec;
    const bool warp = c.residual == Residual::none && d <= 1024;
    const std::int64_t threads = warp ? 32 : std::min<std::int64_t>(1024, (vectors + 31) / 32 * 32);
    return "cuda_block:" + std::to_string(threads) + "x" + std::to_string(vec);
}

}  // namespace ulpgate::restated
