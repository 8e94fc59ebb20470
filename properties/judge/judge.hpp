// One case on one subject: outputs to a verdict, with what was measured and what would have been seen. Used by properties,
// fuzz and reports alike. No tolerance anywhere: membership of the contract's set decides.
//
// A row is allowed by a contract iff one r of its statistic set gives all d outputs bit for bit (any NaN equals any NaN, the
// sign of zero counts). A claim holds iff one member, with one association, explains every row.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/judge/distribution.hpp"
#include "reference/query/shares.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

enum class Verdict { pass, over, inadmissible, corrupted, unstable, crashed, hung, mistrusted, unsupported, refused, skipped };
std::string_view name(Verdict);

// Exit code of a run by DESIGN 7: 130 > 2 > 3 > 4 > 1 > 6 > 5 > 0; this part knows 0, 1, 4, 5, 6. Unsupported counts as
// mistrusted. A mistrusted verdict asks for 6 unless another one tested the same op and type; the caller leaves those out.
int exit_code(const std::vector<Verdict>&);

struct Witness {  // an output that reaches a number
    std::int64_t row = -1, col = -1;
    float x = 0, w = 0;  // what is normalised (after the residual), and the gain as stored
    std::uint32_t got = 0;                 // word of y's type
    std::uint32_t allowed_lo = 0, allowed_hi = 0;  // words: the admissible interval at this element
    // "row 215 col 346  x 0x1.18p+0 (3f8c)  w 0x1.96p+0 (3fcb)   allowed 3fd5   got 3fd4"
    std::string text(const Contract&) const;
};

struct Measure {  // of all rows judged
    std::int64_t rows = 0, elements = 0;
    double worst_ulp = 0;         // |fraction| against the unrounded ideal
    std::int64_t worst_steps = 0;
    double sum_ulp = 0;           // signed fractions, finite ones: bias = sum_ulp / elements
    double worst_r_ulp32 = 0;     // |r - ideal r| in ulp32, as far as the outputs pin it (its smallest possible value)
    std::int64_t outside = 0;     // outputs outside the elementwise set of the claim
    std::int64_t spec_limit_rows = 0;
    std::int64_t eps_dominated_rows = 0;  // eps > 16 * mean square: the check was worth little
    Witness worst;
    ErrorHistogram errors;  // of all elements but those of spec_limit rows
    ByRms by_rms;
    void merge(const Measure&);
};

// What a pass excludes, computed from the run's rows; each number is proven for every kernel of the claimed form, see
// sight.cpp. A dropped column is one that the statistic misses, as lane.dropped does: its output is still computed.
struct Sight {
    std::int64_t rows = 0;
    static constexpr double unseen = std::numeric_limits<double>::infinity();
    double r_high = unseen, r_low = unseen;      // smallest relative change of r upwards, downwards, that some row shows
    double r_relative = unseen;                  // the larger of both: in either direction
    double eps_high = unseen, eps_low = unseen;  // the same of eps
    double eps_relative = unseen;
    bool cast_order = false;           // the claim says one gain order
    std::int64_t rows_cast_order = 0;  // rows where the other gain order, at this row's r, gives outputs outside the claim
    bool any_column = false;           // a dropped column, whichever, shows in some row
    std::int64_t columns_seen = 0;     // how many do
    std::map<std::int64_t, std::vector<bool>> column;  // by d, by column; merged by or
    void merge(const Sight&);
    void count();              // the derived fields from the others
    std::string text() const;  // "r off by 4e-8 · eps off by 3 % · any dropped column · cast order in 512 of 512 rows"
};

struct Candidate {  // a contract that was tried, and whether it explains every row so far
    Contract contract;  // with one association
    bool fits = true;
    std::int64_t row = -1, col = -1;  // the element that excludes it
    std::int64_t rows = 0, outputs = 0;  // reproduced, one r a row
};

// Outputs of one stage of the query path by how many values the contract allows each: what the check was worth there.
struct QueryStage {
    std::string stage;
    std::int64_t outputs = 0, at_most_two = 0;
    std::int64_t untold = 0;   // allowed sets wider than a quarter of the value: they tell nothing
    std::int64_t outside = 0;
    double width = 0;          // of the widest set, in ulps of the output's type at its middle
};

struct Judgement {
    Verdict verdict = Verdict::pass;
    bool incoherent = false;
    std::string what;                  // the first failure in words, one line
    std::string reason;                // why, one line: "r in [a, b] lies 37 ulp32 above the allowed [c, d]"; or ""
    Witness witness;                   // of the first failure
    std::vector<std::string> findings;
    std::vector<Candidate> candidates; // every contract that was tried, the claim's first
    bool inferred = false;             // no claim: the verdict rests on the candidates that fit
    Measure measure;
    Sight sight;
    std::vector<QueryStage> stages;  // of mla_query and head, in the path's order
    QueryShares shares;              // of mla_query with taps
};

// claim: what the outputs are held to; a member of map none means infer. The tensors' contract gives the types.
Judgement judge(const Tensors&, const Outcome&, const Claim& claim);
// Whether that is the verdict, without what explains it and what was measured.
bool inadmissible(const Tensors&, const Outcome&, const Claim& claim);

// Whole run: the worse verdict with its first failure, numbers and sights together, a candidate fits iff it fits every case
// that tried it. A mistrusted case counts as passed until the end.
void merge(Judgement&, const Judgement&);
// After the last merge, and by judge() for its case: inferred and nothing fits every case: inadmissible; passed, and eps
// dominates more than 95 % of the rows: mistrusted.
void conclude(Judgement&);

// The contracts that explain every row, the simplest first; three fitting associations are one assoc=any.
std::vector<Contract> explaining(const Judgement&);
// "f32_gain: one r a row reproduces 786,432 of 786,432 outputs", one line for each of explaining().
std::vector<std::string> explanations(const Judgement&);

}  // namespace ulpgate
