// The cases that a campaign may draw for a subject: its entries with what each takes, and how large a case may be.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::fuzzing {

struct SpaceEntry {
    std::size_t index = 0;  // of the subject's entries
    Claim claim;
    std::int64_t d_min = 1, d_max = 8192, d_divisor = 1;
};

struct Space {
    std::vector<SpaceEntry> entries;
    bool probes = true;              // profiles that were designed with the faults in mind
    std::vector<std::int64_t> d;     // only these widths; empty: any
    std::int64_t elements = 8192;    // of x, at most, unless one row of `d` has more
    std::int64_t batch_elements = 1 << 19;  // of a large batch, one case in a hundred: a sum in another order shows in wide rows
    std::vector<std::string> left_out;  // entries that are not fuzzed, and why
};

// types: empty for all.
Space space_of(const std::vector<EntryInfo>&, const std::vector<std::string>& types = {});

// The entry with this claim.
std::optional<std::size_t> entry_of(const Space&, const Claim&);

// A width that the entry takes: a size at the machine's edges, or any.
std::int64_t draw_width(const Space&, const SpaceEntry&, Rng&);
// As many rows of d columns as the space has elements for: few, or a batch of the sizes where kernels change their block, now and
// then one of as many as it has elements of batches for.
std::int64_t draw_rows(const Space&, std::int64_t d, Rng&);
// A word of the type: about 1, about the root of eps, anywhere, special.
std::uint32_t draw_word(Type, double eps, Rng&);
Program draw_program(Type, std::int64_t d, double eps, Rng&);
// A case from nothing: a profile or a segment program. No key is set that print() would refuse.
Case draw_case(const Space&, const SpaceEntry&, Rng&);
// One to four small changes of a case, which may take parts of another one of the same types.
Case mutate_case(const Space&, const SpaceEntry&, const Case& parent, const Case& other, Rng&);
// The same of one program: values by a step or an exponent, columns, segments added, left out and doubled.
void mutate_program(Program&, const Program& other, Type, std::int64_t d, double eps, Rng&);

}  // namespace ulpgate::fuzzing
