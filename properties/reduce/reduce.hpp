// A failing row to the fewest columns and the simplest values that still fail in the same way: delta debugging over the
// columns (Zeller and Hildebrandt 2002), then values to powers of two and small integers. One row, the width kept.
// Deterministic, a bounded number of calls; many candidates go in one call.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"

namespace ulpgate {

struct Reduced {
    bool failed = false;       // the row by itself fails at all
    std::vector<float> x, w;
    std::int64_t nonzero = 0;  // columns of x that are not zero
    std::int64_t calls = 0, rows = 0;
    std::string line;          // the case in segment form; replay accepts it (without its hash)
    std::string text;          // a row for people: "x = 1 at 0, 0x1.8p-12 at 5; 0 elsewhere; w = 1"
};

// Which of these rows (n * d values, one gain) fail in the way that is looked for; one call. Empty: stop.
using StillFails = std::function<std::vector<bool>(std::span<const float> x, std::span<const float> w)>;

struct ReduceOptions {
    std::int64_t most_calls = 200;
};
Reduced reduce(const Case& like, std::vector<float> x, std::vector<float> w, const StillFails&, const ReduceOptions& = {});

// A row and a gain as a case: fill and segments.
std::optional<Case> segment_case(const Case& like, std::span<const float> x, std::span<const float> w);

}  // namespace ulpgate
