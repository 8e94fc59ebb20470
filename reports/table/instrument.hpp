// r as a kernel's restatement computes it.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "reference/model/model.hpp"

namespace ulpgate {

// |r^ - 1/sqrt(S/d + eps)| in ulps of float32 at the exact value. Of models that multiply by r.
double r_error_ulp32(const Model&, std::span<const float> x, double eps);

// The restatement of a built-in kernel ("ptx@sm_90": that of ptx) with this contract at this width; "" where none is known.
std::string restated_text(const std::string& subject, Contract, std::int64_t d);

}  // namespace ulpgate
