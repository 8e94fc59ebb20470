#include "properties/judge/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ulpgate {

int ErrorHistogram::bin(double fraction) {
    const double a = std::fabs(fraction);
    if (a < 2) return static_cast<int>(a * a_ulp);
    if (!std::isfinite(a)) return not_finite;
    return fine + std::min(octaves - 1, std::ilogb(a) - 1);
}

double ErrorHistogram::lower(int bin) {
    if (bin < fine) return static_cast<double>(bin) / a_ulp;
    if (bin == not_finite) return std::numeric_limits<double>::infinity();
    return std::ldexp(1.0, bin - fine + 1);
}

void ErrorHistogram::add(std::span<const double> fractions) {
    for (const double f : fractions) add(f);
}

void ErrorHistogram::merge(const ErrorHistogram& o) {
    for (std::size_t k = 0; k < count_.size(); ++k) count_[k] += o.count_[k];
}

std::int64_t ErrorHistogram::total() const { return std::accumulate(count_.begin(), count_.end(), std::int64_t{0}); }

void RmsBin::merge(const RmsBin& o) {
    rows += o.rows;
    worst_ulp = std::max(worst_ulp, o.worst_ulp);
    worst_r_ulp32 = std::max(worst_r_ulp32, o.worst_r_ulp32);
}

RmsBin& ByRms::operator[](int octave) {
    const auto at = std::find_if(bins_.begin(), bins_.end(), [&](const auto& b) { return b.first >= octave; });
    if (at != bins_.end() && at->first == octave) return at->second;
    return bins_.insert(at, {octave, {}})->second;
}

int rms_octave(double rms) { return rms > 0 && std::isfinite(rms) ? std::ilogb(rms) : zero_row; }

}  // namespace ulpgate
