// A run as JSON, schema ulpgate.run/1 (run.schema.json beside this): context first, numbers that are not finite as strings, one
// object a row of the table. Everything that is rendered can be read back, so that one machine runs and another renders.
#pragma once
#include <string>
#include <string_view>

#include "reports/result/result.hpp"

namespace ulpgate {

inline constexpr std::string_view run_schema = "ulpgate.run/1";

std::string to_json(const Result&);

// error: "" or what is wrong and where ("main.json: results[3].verdict: a string is needed"); the result is then empty.
struct ReadRun {
    Result result;
    std::string error;
};
ReadRun read_run(const std::string& path);
ReadRun parse_run(std::string_view text, const std::string& name);

}  // namespace ulpgate
