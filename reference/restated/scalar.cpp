#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, scalar) = {"scalar", "bf16,cast_first", "rsqrt_form=recip_sqrt",
    "built in: one sequential sum, 1 / sqrtf"};

}  // namespace ulpgate::restated
