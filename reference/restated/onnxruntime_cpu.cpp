#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, onnxruntime_cpu) = {"onnxruntime_cpu", "f32,f32_gain,assoc=xr_w,by=div", "",
    "onnxruntime on a CPU: a serial sum, x / rms * gain"};

}  // namespace ulpgate::restated
