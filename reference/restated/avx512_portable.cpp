#include "reference/restated/restated.hpp"

namespace ulpgate::restated {

PIECE(Restatement, avx512_portable) = {"avx512_portable", "bf16,cast_first", "order=masked:16x4,fma,rsqrt_form=recip_sqrt",
    "built in: avx512 in plain C++, the same bits"};

}  // namespace ulpgate::restated
