#include "reference/admissible/statistic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reference/admissible/sum_bound.hpp"
#include "reference/exact/sum.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

constexpr double u = unit32;
constexpr double slack = 0x1p-48;               // covers every rounding of the formulas below
constexpr double overflow = 0x1p128 - 0x1p103;  // from here on f32 rounds to Inf
constexpr double smallest = 0x1p-149;

std::string without_proof(const Contract& c, std::size_t columns, double eps) {
    const auto low = [&](Accumulate a) { return a == Accumulate::t && c.x != Type::f32; };
    if (c.stat != Stat::ms) return "stat=mean_m2: mean and M2 subtract";
    if (low(c.acc)) return fmt::format("acc=t: sums kept in {}", name(c.x));
    if (low(c.sq)) return fmt::format("sq=t: squares kept in {}", name(c.x));
    if (c.stat_width > static_cast<std::int64_t>(columns))
        return fmt::format("stat_width={}: the row has only {} columns", c.stat_width, columns);
    if (!(eps >= 0 && eps < 0x1p127)) return fmt::format("eps {}: not a number from 0 to 2^127", eps);
    if (columns > std::size_t{1} << 24) return "more than 2^24 columns";
    return "";
}

// Additions on the longest path of the named order, for rows of n columns; -1: any order.
int height_of(const std::string& order, std::size_t n) {
    struct Last {
        std::string order;
        std::size_t n = 0;
        int height = -1;
    };
    static thread_local Last last;
    if (order == "any") return -1;
    if (last.order != order || last.n != n) {
        const auto o = find_order(order);
        last = {order, n, o ? o->order->height(Height{}, n, o->p) : -1};
    }
    return last.height;
}

struct Sum {
    double value = 0;         // S, to 2^-50
    double least = 0, most = 0;  // what the lower and the upper end take for it: S; narrower on purpose where it is less known
    std::int64_t nonzero = 0;
    bool integers = false;
    double rho = 0;  // relative bound on the computed one, rounding of the squares included
};

enum class Part { core, whole };  // of the set

double bound(const Contract& c, std::span<const float> x, const RowFacts& f, const Sum& s, Part part) {
    const bool wide = c.acc == Accumulate::f64;
    if (s.integers) return 0;
    const bool by_data = !wide && f.nonzero <= 1 << 22;
    // The least bound from the data is below the count's: (n + 2)/(4n) <= 1 for n >= 1.
    double rho = by_data && part == Part::core ? least_bound_by_data(f.nonzero) : bound_by_count(wide ? 0x1p-53 : u, f.nonzero - 1);
    if (!wide)
        if (const int h = height_of(c.order, x.size()); h >= 0) rho = std::min(rho, bound_by_count(u, h));
    if (by_data && part == Part::whole) rho = std::min(rho, bound_by_data(x, f.nonzero, s.value));
    const bool rounded_squares = !f.short_values && !(wide && c.sq == Accumulate::f64);
    return rounded_squares ? rho + u + rho * u : rho;
}

// Roundings between the sum and the mean.
int mean_roundings(const Contract& c, bool exact_sum, std::int64_t width) {
    int n = (width & (width - 1)) == 0 ? 0 : c.mean == Mean::div ? 1 : 2;
    if (c.acc == Accumulate::f64 && !exact_sum) ++n;  // the f64 sum, rounded to f32
    return n;
}

struct Interval {
    double lo, hi, least;  // least: of those above 0
};

// The least v > 0 where the mean is not rounded to f32 before eps is added. Squares in f32 are 0 or at least 2^-149.
double least_wide(const Contract& c, const Sum& s, std::int64_t width, double eps, double eps_lo) {
    const double d = static_cast<double>(width), sum = s.least * (1 - s.rho) * (1 - slack);
    if (c.sq == Accumulate::f64) return (sum / d + eps_lo) * (1 - u);
    const double one = std::min(sum, smallest) / d + eps_lo, none = eps_lo > 0 ? eps_lo : eps;
    return (none > 0 ? std::min(one, none) : one) * (1 - u);
}

// Of v = mean + eps, lo = 0 where it may be 0.
Interval mean_plus_eps(const Contract& c, const Sum& s, std::int64_t width, double eps) {
    const bool flush = c.ftz != "none";
    const double eta = flush ? 0x1p-126 : tiny32, n = static_cast<double>(s.nonzero), d = static_cast<double>(width);
    const double eps32 = static_cast<double>(static_cast<float>(eps));
    const double eps_hi = std::max(eps, eps32), eps_lo = std::min(eps, eps32);
    const int k = mean_roundings(c, s.integers, width);
    double more = 1, less = 1;  // (1 +- u)^k
    for (int i = 0; i < k; ++i) more *= 1 + u, less *= 1 - u;
    const double up = (s.most + n * eta) * (1 + s.rho) * more / d + eta;
    const double down = (s.least * (1 - s.rho) - n * eta) * less / d - eta - slack * up;
    const bool zero = s.nonzero == 0;  // then the mean is exact
    const double hi = ((zero ? 0 : up) + eps_hi) * (1 + u) * (1 + slack);
    const double lo = (std::max(down, 0.0) + eps_lo) * (1 - u) * (1 - slack);
    // An f32 v is not between 0 and the smallest one, the smallest normal one where it may be flushed.
    const double least = flush ? 0x1p-126 : smallest;
    Interval v{lo == 0 || (flush && lo < least) ? 0 : std::max(lo, least), hi > 0 ? std::max(hi, smallest) : 0, smallest};
    if (v.lo > 0) v.least = v.lo;
    if (c.acc == Accumulate::f64 && !zero) v.least = std::min(v.least, std::max(lo, least_wide(c, s, width, eps, eps_lo)));
    return v;
}

// v > 0.
float first_float_from(double v) {
    const float f = static_cast<float>(v);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) + (static_cast<double>(f) < v));
}
float last_float_to(double v) {
    const float f = static_cast<float>(v);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) - (static_cast<double>(f) > v));
}

// The root's interval: the floats between ends moved outward by the root's error, where a root below 2^-126 errs by a
// part of the smallest subnormal too: v below 2^-252 and by=div, v above 2^252 beyond f32's range.
void set_interval(const Contract& c, Interval v, StatisticSet& s) {
    const double error = 2 * std::max(static_cast<double>(c.rsqrt), 0.5) * u;
    const double lo = c.by == By::div ? std::sqrt(v.least) : 1 / std::sqrt(v.hi);
    const double hi = c.by == By::div ? std::sqrt(v.hi) : 1 / std::sqrt(v.least);
    const auto coarse = [&](double r) { return r < 0x1p-126 ? std::max(static_cast<double>(c.rsqrt), 0.5) * smallest : 0; };
    s.interval = true;
    s.lo = first_float_from(std::max(smallest, lo * (1 - error) * (1 - 0x1p-50) - coarse(lo)));
    s.hi = last_float_to(hi * (1 + error) * (1 + 0x1p-50) + coarse(hi));
}

StatisticResult part_of_set(const Contract& c, std::span<const float> x, double eps, Part part) {
    StatisticResult out;
    StatisticSet& s = out.set;
    out.unsupported = without_proof(c, x.size(), eps);
    if (!out.unsupported.empty() || x.empty()) return out;
    if (c.stat_width > 0) x = x.first(static_cast<std::size_t>(c.stat_width));
    const auto width = static_cast<std::int64_t>(x.size());
    bool &of_small = c.by == By::div ? s.zero : s.inf, &of_large = c.by == By::div ? s.inf : s.zero;

    constexpr std::size_t most_quick = 1 << 17;  // d: then the quick sum's error is below 2^-40
    const bool quick = part == Part::core && x.size() <= most_quick;
    double quick_sum = 0;
    const RowFacts f = quick ? row_facts(x, quick_sum) : row_facts(x);
    s.nan = f.nan;
    if (f.nan) s.r = std::numeric_limits<double>::quiet_NaN();
    if (f.inf) of_large = true;
    if (f.nan || f.inf) return out;

    Sum sum{quick ? quick_sum : sum_of_squares(x).hi, 0, 0, f.nonzero};
    const double unsure = part == Part::core ? 0x1p-39 : 0;
    sum.least = sum.value * (1 + unsure);
    sum.most = sum.value * (1 - unsure);
    sum.integers = integer_row(x, sum.value);
    sum.rho = s.rho = bound(c, x, f, sum, part);
    if (part == Part::whole) s.r = 1 / std::sqrt(sum.value / static_cast<double>(width) + eps);
    const Interval v = mean_plus_eps(c, sum, width, eps);
    const double least = sum.least * (1 - s.rho) * (1 - slack), most = sum.most * (1 + s.rho) * (1 + slack);
    of_large = most >= overflow || v.hi >= overflow;
    s.spec_limit = c.acc != Accumulate::f64 && least > static_cast<double>(std::numeric_limits<float>::max());
    of_small = v.lo == 0;
    if (v.hi > 0) set_interval(c, v, s);
    return out;
}

}  // namespace

StatisticResult statistic_set(const Contract& c, std::span<const float> x, double eps) { return part_of_set(c, x, eps, Part::whole); }

StatisticResult statistic_core(const Contract& c, std::span<const float> x, double eps) { return part_of_set(c, x, eps, Part::core); }

}  // namespace ulpgate
