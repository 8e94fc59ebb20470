// Which named fault gives a failing kernel's outputs? A name is earned bit for bit: for every row there is one value of the
// row's scalar, inside the range that is proven for the faulty formula over every order of summation, with which the model
// gives all outputs of the row; a parameter (a divisor, an eps, a column) is one and the same in all rows. What agrees only
// within a band gets no name. A name says that no row excludes it, not that nothing else could do the same.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

// One arithmetic that gives every row that was looked at, bit for bit.
struct Finding {
    Contract computes;         // map, association, division, residual mix
    std::vector<Named> lines;  // the changed lines, each of another stage; empty: a contract of its own
    std::string text() const;  // "f32_gain,assoc=xr_w: T((x·r)·w); eps.outside: r = 1 / (sqrt(m) + eps)"
};

struct SparseRow {  // a row that fails, told by what is not zero
    std::int64_t d = 0;
    double eps = 0;
    std::vector<std::pair<std::int64_t, float>> x;  // column, value
    std::int64_t col = 0;                           // of the output that is shown
    std::uint32_t w = 0, got = 0, lo = 0, hi = 0;   // words there: the gain's, the output, and what the claim allows
    std::string line;                               // a case that `ulpgate replay SUBJECT` takes; "": it fails only beside other rows
    std::string text(const Contract&) const;
};

struct Explanation {
    std::vector<Named> equal;        // not separated by these rows; with findings: all their lines
    std::vector<Excluded> excluded;  // each with what excludes it
    std::string unknown;             // where nothing is equal: what the rows show, in words
    // Of a diagnosis, where the kernel could be called:
    std::vector<Finding> findings;    // more than one: a tie that no built row splits
    std::vector<std::string> broken;  // where unknown: relations that do not hold, in words
    std::optional<SparseRow> smallest;  // where unknown: the failing row with the fewest values that are not zero
    std::int64_t rows = 0, calls = 0;   // that were run
    bool stopped = false;               // the kernel did not answer the built rows
    bool as_claimed = false;            // every row is one that the claim's own formula gives
};

// The kernel under diagnosis: one call, as Subject::run makes it.
using KernelCall = std::function<Outcome(const Tensors&)>;

// The cases of one claim. Of each the first `rows` rows and the failing one are looked at.
Explanation explain(std::span<const FailedCase>, const Claim&, std::int64_t rows = INT64_MAX);

// The same of a kernel that can be called: rows are built that tell the listed arithmetics apart, and the cases' own rows,
// if there are any, must agree. The fewest changed lines that give every row are named, after built rows have split them;
// lines of different stages may be changed together.
Explanation diagnose(const KernelCall&, const Op&, const Claim&, std::int64_t d, std::span<const FailedCase> = {}, std::int64_t rows = 16);

}  // namespace ulpgate
