// One case on one subject: outputs to a verdict, with what was measured and what would have been seen. Used by properties,
// fuzz and reports alike. No tolerance anywhere: membership of the contract's set decides.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

enum class Verdict { pass, over, inadmissible, corrupted, unstable, crashed, hung, mistrusted, unsupported, refused, skipped };
std::string_view name(Verdict);

// Exit code of a run by DESIGN 7: 130 > 2 > 3 > 4 > 1 > 6 > 5 > 0; this part knows 0, 1, 4, 5, 6.
int exit_code(const std::vector<Verdict>&);

struct Witness {  // an output that reaches a number
    std::int64_t row = -1, col = -1;
    float x = 0, w = 0;
    std::uint32_t got = 0;                 // word of y's type
    std::uint32_t allowed_lo = 0, allowed_hi = 0;  // words: the admissible interval at this element
};

struct Measure {  // of all rows judged
    std::int64_t rows = 0, elements = 0;
    double worst_ulp = 0;         // |fraction| against the unrounded ideal
    std::int64_t worst_steps = 0;
    double sum_ulp = 0;           // signed fractions: bias = sum_ulp / elements
    double worst_r_ulp32 = 0;     // |r - ideal r| in ulp32, as far as the outputs pin it (its smallest possible value)
    std::int64_t outside = 0;     // outputs outside the elementwise set of the claim
    std::int64_t spec_limit_rows = 0;
    std::int64_t eps_dominated_rows = 0;  // eps > 16 * mean square: the check was worth little
    Witness worst;
    void merge(const Measure&);
};

struct Sight {  // computed from the run's rows: what a pass excludes
    std::int64_t rows = 0;
    double r_relative = std::numeric_limits<double>::infinity();    // smallest relative change of r that some row shows
    double eps_relative = std::numeric_limits<double>::infinity();  // the same of eps
    std::int64_t rows_cast_order = 0;  // rows where no r gives the other gain order
    bool any_column = false;           // a dropped column, whichever, shows in some row
    std::int64_t columns_seen = 0;     // how many do
    std::vector<bool> column;          // by column; merged by or
    void merge(const Sight&);
    std::string text() const;          // "r off by 4e-8 · eps off by 3 % · any dropped column · cast order in 512 of 512 rows"
};

struct Candidate {  // a contract that was tried, and whether it explains every row so far
    Contract contract;
    bool fits = true;
    std::int64_t row = -1, col = -1;  // the element that excludes it
};

struct Judgement {
    Verdict verdict = Verdict::pass;
    bool incoherent = false;
    std::string what;                  // the first failure in words
    Witness witness;                   // of the first failure
    std::vector<std::string> findings;
    std::vector<Candidate> candidates; // every contract that inference tries, claim included
    Measure measure;
    Sight sight;
};

// claim: what the outputs are held to; a single member of map none means infer. The tensors' contract gives the types.
Judgement judge(const Tensors&, const Outcome&, const Claim& claim);

}  // namespace ulpgate
