// The state of a campaign as one file, replaced as a whole: DIR/state.json (ulpgate.fuzz/2). Findings lie beside it.
#pragma once
#include <string>
#include <string_view>

#include "fuzz/campaign/campaign.hpp"

namespace ulpgate::fuzzing {

// "" or what is wrong with it and what to do. No file: out is left as it is, found is false.
std::string read_state(const std::string& folder, State& out, bool& found);
// The text of one.
std::string parse_state(std::string_view text, const std::string& path, State& out);
// "" or what went wrong. New findings get their files first: a state never names one that is not there.
std::string write_state(const std::string& folder, const State&);

}  // namespace ulpgate::fuzzing
