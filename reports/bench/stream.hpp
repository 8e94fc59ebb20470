// Reads n bytes once and writes n bytes once: what no kernel that does so can be faster than.
#pragma once
#include <cstddef>
#include <vector>

#include "reports/bench/cell.hpp"

namespace ulpgate::bench {

std::vector<Side> streams(const void* x, void* y, std::size_t n);

}  // namespace ulpgate::bench
