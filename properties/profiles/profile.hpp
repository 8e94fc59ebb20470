// A family of inputs: one file each. A row depends on (seed, row) only, so row 215 of 512 is the same row
// alone. Rows are made with integers, exact scaling and basic IEEE operations only, so that a seed means the
// same tensors everywhere.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/base/piece.hpp"
#include "reference/base/rng.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate {

struct RowRequest {
    Rng rng;  // of this tensor and row
    Type type;
    double eps;
    std::int64_t row, rows;
    std::span<const float> w;  // the gains of the case; empty for none
};

struct Profile {
    std::string_view name;
    std::string_view what;
    // Fills x (x.size() == d) with values of request.type; the framework rounds to the type what is not.
    void (*row)(const RowRequest&, std::span<float> x);
    // The residual of the same row, given x; null: an independent row of the same profile.
    void (*residual)(const RowRequest&, std::span<const float> x, std::span<float> residual);
    bool probe;                            // designed with the faults in mind: --no-probes leaves it out
    std::int64_t (*rows)(std::int64_t d);  // rows in a default gate
    std::string_view gain;  // the gain rule that goes with it, of properties/profiles/gains.hpp
};

namespace profiles {
std::span<const Profile* const> all();
}
const Profile* find_profile(std::string_view name);

}  // namespace ulpgate
