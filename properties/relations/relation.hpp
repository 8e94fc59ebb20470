// Relations: what two calls of one kernel must have in common, whatever the right values are (FAULTS.md, "Relations").
//
//   M1 x and residual times 2^k, eps times 4^k: the same bits     M4 other strides and addresses: the same bits
//   M2 a sign flipped in x or w: that output's sign, no more      M5 w times 2^k: outputs times 2^k
//   M3 rows permuted, doubled, left out, regrouped: a row's bits  twice, permuted: the same up to the order of the sum
//
// Bit for bit where every member of the claim says so and the row keeps off the range's ends, so that both calls round the
// same numbers; everywhere both calls must be admissible, and a change of bits is a finding.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/judge/judge.hpp"
#include "reference/base/piece.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {

// How the changed call's outputs follow: (i, j) is the first call's (row[i], column[j]) times 2^scale, the sign flipped or not.
struct Link {
    std::vector<std::int64_t> row, column;  // empty: the same
    std::vector<bool> flipped;              // by output, row-major; empty: none
    int scale = 0;                          // of y
    int k = 0;                              // the power of two in the inputs
};

// One row of both calls, x + residual as the statistic or the map sees it, with the gain as stored (empty: none).
struct RowPair {
    const Claim& claim;
    const Link& link;
    std::span<const float> x, changed_x, w, changed_w;
    double eps, changed_eps;
};

struct Relation {
    std::string_view name, law;
    std::string_view invariance;  // what `holds` must say, "align.stride"; "": a consequence of every contract's formula
    bool (*applies)(const Contract&);
    bool (*change)(Rng&, Tensors&, Link&);  // false: nothing to change in this case
    bool (*exact)(const RowPair&);          // off the range's ends; null: always
};

namespace relations {
std::span<const Relation* const> all();
}
const Relation* find_relation(std::string_view name);

// finding: both calls are admissible, and bits changed where the contract does not promise them.
enum class Held { bits, finding, broken, not_run };
struct Checked {
    Held held = Held::bits;
    std::string what;                            // first finding or failure in words, or why it was not run
    std::int64_t rows = 0, exact_rows = 0;       // of the changed call; those held to their bits
    std::int64_t row = -1, first_row = -1;       // of the changed call and of the first one, where `what` is about a row
    Tensors changed;
};
using RunKernel = std::function<Outcome(const Tensors&)>;
Checked check(const Relation&, const Tensors&, const Claim&, const RunKernel&, std::uint64_t seed);
// Of a kernel that is known not to keep its claim: its own bits alone, neither call is judged. broken: a row that both calls must
// round alike does not follow, or an invariance that was not promised does not hold.
Checked check_own_bits(const Relation&, const Tensors&, const Claim&, const RunKernel&, std::uint64_t seed);

// One row of the tensors as a case line with every word written out: what `ulpgate replay SUBJECT` takes.
std::string written_out(const Tensors&, const Claim&, std::int64_t row);

}  // namespace ulpgate
