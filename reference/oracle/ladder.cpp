#include "reference/oracle/ladder.hpp"

#include "reference/exact/dyadic.hpp"
#include "reference/exact/sum.hpp"

namespace ulpgate {

struct Ladder::Exact {
    Dyadic d, radicand;  // d and S + d eps
};

Ladder::Ladder(std::span<const float> x, double eps, OracleStats& stats) : x_(x), eps_(eps), stats_(stats) {
    const SumOfSquares s = sum_of_squares(x);
    r_ = reciprocal_root(add(over({s.hi, s.lo}, static_cast<double>(x.size())), eps));
    relative_error_ = 0x1p-99 + 0.51 * s.relative_bound;
}

Ladder::~Ladder() = default;

int Ladder::side_of(double q, Pair y, double midpoint) {
    stats_.l2++;
    const double difference = (y.hi - midpoint) + y.lo;
    if (std::fabs(difference) > relative_error_ * y.hi) return difference > 0 ? 1 : -1;
    return exact_side_of(q, midpoint);
}

int Ladder::exact_side_of(double q, double midpoint) {
    stats_.l3++;
    if (!exact_) {
        const Dyadic d = dyadic(static_cast<double>(x_.size()));
        exact_ = std::make_unique<Exact>(Exact{d, exact_sum_of_squares(x_) + d * dyadic(eps_)});
    }
    const Dyadic a = dyadic(q), h = dyadic(midpoint);
    const int side = compare(exact_->d * a * a, h * h * exact_->radicand);
    stats_.ties += side == 0;
    return side;
}

}  // namespace ulpgate
