#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_norm_spurious) = {
    .kind = "mla.norm_spurious",
    .line = "a norm although q_lora_rank is null",
    .fix = "leave the norm out where there is no low rank",
    .change = [](QueryModel& m) { m.pieces.norm_always = true; },
};

}  // namespace ulpgate::query_faults
