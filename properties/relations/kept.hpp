// Contracts, each with models that keep to it: what no test may call inadmissible.
#pragma once
#include <span>
#include <string_view>

namespace ulpgate {

struct Kept {
    std::string_view contract;  // less its type; "": no claim
    std::string_view model;     // the same
};
std::span<const Kept> kept_contracts();

}  // namespace ulpgate
