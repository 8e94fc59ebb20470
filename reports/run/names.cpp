#include "reports/run/names.hpp"

namespace ulpgate {

void name_failure(Group& g, const std::vector<FailingCase>&) {
    const Contract* c = computes(g);
    if (!c || g.claim.empty()) return;
    if (c->map == Map::f32_gain && g.claim[0].map == Map::cast_first)
        g.fix = "round n to " + std::string(name(g.type)) + " before the gain, or claim " + print(*c, false);
    else if (c->map == Map::cast_first && g.claim[0].map == Map::f32_gain)
        g.fix = "keep n in f32 until the gain is in, or claim " + print(*c, false);
    else
        g.fix = "claim " + print(*c, false) + " if that is what it should compute";
}

}  // namespace ulpgate
