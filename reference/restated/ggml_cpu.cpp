#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, ggml_cpu) = {"ggml_cpu", "f32,f32_gain,assoc=xr_w,acc=f64", "mean_in=f64,rsqrt_form=recip_sqrt",
    "ggml on a CPU, f32 only: f32 squares, a double sum divided in double, 1 / sqrtf"};

}  // namespace ulpgate::restated
