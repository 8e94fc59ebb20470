// One row of one case, element by element: what replay shows beside the verdict.
#pragma once
#include <cstdint>
#include <string>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"
#include "reference/tensors/tensors.hpp"
#include "reports/console/style.hpp"

namespace ulpgate {

// The `most` columns with the largest error, `column` (where >= 0) first. "" where the outcome has no y.
std::string row_text(const Tensors&, const Outcome&, std::int64_t row, std::int64_t column, int most, const Style&);

}  // namespace ulpgate
