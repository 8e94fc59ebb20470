// Where the error of the query path comes from, stage by stage, exactly additive. F_k is an output where the first k stages are what the
// kernel computed and the rest are real arithmetic; F_0 is the ideal output, F_n the kernel's. Stage k contributes F_k - F_(k-1):
//
//   q_a sum   the f32 sum of h a^T          multiply  n = f32(a r)        (f32_gain: then gain, f32(n w), then cast)
//   q_a cast  a = T(sum [+ bias])           cast      t = T(n)
//   sum mean eps rsqrt  of the norm's r     gain      z = T(w t)
//                                           q_b sum, q_b cast             the same of z q_b^T
//
// Logs, as the norm's own stages have them (stages.hpp), do not serve: a sum of products may cancel to nothing. For that reason an ulp
// here is T's at the output or, where that is more, at the root of the sum of its squared terms: of an output near 0 no ulp of its own
// can be asked.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "reference/query/path.hpp"
#include "reference/stages/stages.hpp"

namespace ulpgate {

inline constexpr std::array<std::string_view, 11> query_stage_names{"q_a sum", "q_a cast", "sum", "mean", "eps", "rsqrt", "multiply", "cast", "gain", "q_b sum", "q_b cast"};
inline constexpr std::size_t query_stages = query_stage_names.size(), first_norm_stage = 2;
using QueryTerms = std::array<double, query_stages>;

// One token as a kernel computes it.
struct QueryTrace {
    std::vector<float> a_sum, a;  // before the cast; after it and the bias. Without a rank: empty
    Scalars norm{};
    std::vector<float> n, t, z;   // after multiply and after cast (f32_gain: after gain); what enters q_b
    std::vector<float> q_sum, q;
};

struct QueryRow {
    std::vector<QueryTerms> ulps;   // of the outputs that have them
    std::vector<QueryTerms> bound;  // what the contract allows each, at this output
    std::vector<double> total;      // (q^ - ideal) in the same ulps
    std::vector<std::int64_t> output;
    std::array<double, row_stages> ulps32{};  // of the norm's own stages, in f32 ulps of r
    std::int64_t skipped = 0;       // not finite, or a value on the way is not a normal number of its type
};

class QueryStager {
  public:
    // norm: how the norm is computed; the path's contract says how its sums are (a.order, b.order; any: sequential). Keeps a reference.
    QueryStager(QueryPath& path, const Model& norm) : path_(path), norm_(norm) {}
    QueryTrace trace(std::int64_t token);
    QueryRow stages(std::int64_t token, const QueryTrace&);

  private:
    QueryPath& path_;
    const Model& norm_;
};

// The reason where a contract's path is not the one above.
std::string why_no_query_stages(const Contract&);

}  // namespace ulpgate
