#include "reference/maps/map.hpp"

namespace ulpgate {

void narrow_nearest(Type t, std::span<float> v) {
    with_format(t, [&](auto f) {
        for (float& e : v) e = f.round(e);
    });
}

}  // namespace ulpgate
