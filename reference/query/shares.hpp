// Where the error of q comes from, stage by stage. Each stage in turn is given what the subject computed, the rest stays exact:
//   E0 exact from h   E1 q_a rounded once to T   E2 the subject's q_a   E3 its norm   E4 its q_b rounded once   E5 its q
// so that the stages' errors E1 - E0 ... E5 - E4 add up to the whole exactly. A stage's share is E[stage * whole] / E[whole^2]:
// uncentred, shares add to 1 and may be negative.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/query/projection.hpp"

namespace ulpgate {

inline constexpr std::array<std::string_view, 5> query_error_stages{"q_a cast", "q_a sum", "norm", "q_b cast", "q_b sum"};

// In ulps of T at the size of the token's sums: the larger of the rms of q and of sum |terms| / sqrt(count).
struct QueryShares {
    std::array<double, 5> square{}, cross{}, largest{};  // sums over outputs
    double whole = 0;
    std::int64_t outputs = 0;

    void merge(const QueryShares&);
    double share(std::size_t stage) const { return whole > 0 ? cross[stage] / whole : 0; }
    double rms(std::size_t stage) const;  // of a stage; of the whole: stage 5
};

struct QueryToken {  // what a subject made of one token
    std::span<const Projected> a;          // the exact q_a of h; empty without a rank
    std::span<const float> tap_a, tap_norm;
    std::span<const Projected> b;          // the exact q_b of what entered it
    std::span<const float> q;
};

class ShareCounter {
  public:
    // tensors of mla_query; keeps a reference. Tokens that hold a NaN or an infinity are left out.
    ShareCounter(const Tensors&, Type t, double eps);
    void token(const QueryToken&, QueryShares& into);

  private:
    std::vector<double> normalised(std::span<const double> a) const;
    const Tensors& t_;
    QueryPieces none_;
    Type type_;
    double eps_;
    std::vector<float> gain_;
};

}  // namespace ulpgate
