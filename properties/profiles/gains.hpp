// Rules that make a case's gains: small, named, one table. Integers and exact scaling only, like the
// profiles.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/base/rng.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate {

struct GainRule {
    std::string_view name, what;
    // Fills w with what is stored; the caller rounds to the type what is not of it.
    void (*fill)(Rng, Type, std::span<float> w);
};

std::span<const GainRule> gain_rules();
const GainRule* find_gain_rule(std::string_view name);

// Two adjacent values of the type, and a gain at which the orders of the gain and five faults differ: the
// tile [1, x] with gains w of FAULTS.md's master probe.
struct MasterProbe {
    float x, w;
};
MasterProbe master_probe(Type);

}  // namespace ulpgate
