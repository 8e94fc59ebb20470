// The peer that matters: RMSNorm in an AVX2 loop whose sum and r are f64, as a careful author would write it. It rounds q r to f32
// and then to the type: nearly always right, never certain. Several variants, since no one is best in every cell.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "reference/oracle/packed.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {

// Each writes all of job.y. The job outlives the sides.
std::vector<Side> f64_loops(Oracle, const PackedRows& job);
std::vector<Side> big_float_row(Oracle, const PackedRows& job, const std::string& which);  // "cpp_bin_float_100", "mpfr_float_50": one row
bool f64_loop_available();

}  // namespace ulpgate::bench
