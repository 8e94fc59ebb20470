#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_latent_not_rounded) = {
    .kind = "mla.latent_not_rounded",
    .line = "the latent enters its norm in f32: q_a is not rounded to T",
    .fix = "round q_a to T, or claim latent=f32",
    .change = [](QueryModel& m) { m.contract.latent = Latent::f32; },
};

}  // namespace ulpgate::query_faults
