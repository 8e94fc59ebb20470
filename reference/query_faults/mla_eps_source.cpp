#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, mla_eps_source) = {
    .kind = "eps.source",
    .line = "the latent norm takes the config's rms_norm_eps",
    .fix = "q_a_layernorm is built without an eps argument: the class default 1e-6",
    .change = [](QueryModel& m) { m.pieces.config_eps = true; },
};

}  // namespace ulpgate::query_faults
