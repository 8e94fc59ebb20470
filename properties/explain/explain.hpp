// Which named fault gives a failing kernel's outputs? A name is earned bit for bit: for every row there is one value of the
// row's scalar, inside the range that is proven for the faulty formula over every order of summation, with which the model
// gives all outputs of the row; a parameter (a divisor, an eps, a column) is one and the same in all rows. What agrees only
// within a band gets no name. A name says that no row excludes it, not that nothing else could do the same.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

struct FailedCase {
    const Tensors* tensors;
    const Outcome* outcome;  // event ok
    std::int64_t row = -1;   // the row that failed: looked at wherever it stands
};

struct Named {
    std::string kind;       // "eps.value"
    std::string parameter;  // "" or what all rows allow: "EPS in [9.98e-06, 1.002e-05]", "COLUMN 511"
    std::string line, fix;
    std::int64_t rows = 0, outputs = 0;  // equal bit for bit
    std::string text() const;            // "eps.value: v = m + EPS ..., EPS in [...]: equal bit for bit in 16 of 16 rows"
};

struct Excluded {
    std::string kind;
    std::int64_t at = 0, row = -1, col = -1;  // case and row that exclude it; col -1: no one output, the row's scalar does
    std::string why;
};

struct Explanation {
    std::vector<Named> equal;        // not separated by these rows
    std::vector<Excluded> excluded;  // each with what excludes it
    std::string unknown;             // where nothing is equal: what the rows show, in words
};

// The cases of one claim. Of each the first `rows` rows and the failing one are looked at.
Explanation explain(std::span<const FailedCase>, const Claim&, std::int64_t rows = INT64_MAX);

}  // namespace ulpgate
