#include "fuzz/record/record.hpp"

#include <array>
#include <cmath>
#include <cstdint>

// Read by libFuzzer after each input and cleared before the next. Volatile and not static: otherwise it is optimised away. One
// object holds the section, so that its bounds are the array's.
__attribute__((section("__libfuzzer_extra_counters"), used)) volatile std::uint8_t
    ulpgate_extra_counters[ulpgate::fuzzing::record_kinds * ulpgate::fuzzing::record_classes];

namespace ulpgate::fuzzing {

bool record(std::size_t what, double value) {
    static std::array<std::int64_t, record_kinds> best = [] {
        std::array<std::int64_t, record_kinds> none{};
        none.fill(-1);
        return none;
    }();
    if (!(value > 0)) return false;
    const double octaves = std::isfinite(value) ? std::log2(value) + 16 : 1e9;
    const auto at = static_cast<std::int64_t>(std::fmin(std::fmax(octaves * 32, 0), record_classes - 1));
    if (at <= best[what]) return false;
    best[what] = at;
    ulpgate_extra_counters[what * record_classes + static_cast<std::size_t>(at)] = 1;
    return true;
}

}  // namespace ulpgate::fuzzing
