// The failing row of a group, reduced to the fewest columns and the simplest values that its kernel still gets wrong.
#pragma once
#include <cstdint>
#include <optional>

#include "impls/subject/subject.hpp"
#include "properties/reduce/reduce.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

// Nothing where no row fails by itself, where nothing is claimed, or with a residual.
std::optional<Reduced> smallest_failure(const Group&, const SubjectOptions&, std::int64_t most_calls = 200);

}  // namespace ulpgate
