#include <algorithm>
#include <utility>

#include "reference/maps/map.hpp"

namespace ulpgate {

std::string why_no_map(const Contract& c) {
    if (c.beta != Given::none) return "beta=given: no element map adds a bias yet";
    if (c.quant != Quant::none) return "quant: no element map quantises yet";
    if (c.ftz.find_first_of("xy") != c.ftz.npos)
        return "ftz=" + c.ftz + ": the maps keep subnormal x and y; only ftz=sum has a proven set";
    return "";
}

std::vector<const MapPiece*> maps_for(const Contract& c) {
    std::vector<const MapPiece*> found;
    if (!why_no_map(c).empty()) return found;
    for (const MapPiece* m : maps::all()) {
        const bool alike =
            m->assoc == Assoc::xr_w || m->assoc == Assoc::any;  // without a gain all associations are one
        if (c.map != Map::none && m->map != c.map) continue;
        if (m->by != c.by) continue;
        if (c.gain == Gain::none ? !alike : c.assoc != Assoc::any && m->assoc != Assoc::any && m->assoc != c.assoc)
            continue;
        found.push_back(m);
    }
    std::sort(found.begin(), found.end(), [](const MapPiece* a, const MapPiece* b) {
        return std::pair(a->map, a->assoc) < std::pair(b->map, b->assoc);
    });
    return found;
}

}  // namespace ulpgate
