#include "reference/maps/map.hpp"

#include "reference/formats/convert.hpp"

namespace ulpgate {

void narrow_nearest(Type t, std::span<float> v) { round_values(t, v); }

}  // namespace ulpgate
