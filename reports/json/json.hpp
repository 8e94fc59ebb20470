// A run as JSON, schema ulpgate.run/1: context first, numbers that are not finite as strings, one object a row of the table.
#pragma once
#include <string>

#include "reports/result/result.hpp"

namespace ulpgate {

std::string to_json(const Result&);

}  // namespace ulpgate
