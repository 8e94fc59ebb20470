// The command line into a verb's arguments, with what the environment and ./ulpgate.toml add.
#pragma once
#include <string>
#include <vector>

#include "reports/cli/verb.hpp"

namespace ulpgate::cli {

// words: what follows the verb. Throws UsageError. nothing: help was asked for and `help` holds it.
std::optional<Arguments> parse_arguments(const Verb&, const std::vector<std::string>& words, std::string& help);
std::string help_of(const Verb&);

// Adds what the command line left out: ULPGATE_<FLAG>, then ./ulpgate.toml. Throws UsageError.
// Returns notes: variables that look like a misspelt flag.
std::vector<std::string> add_settings(const Verb&, Arguments&);

}  // namespace ulpgate::cli
