#include "properties/judge/envelope.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpgate::judging {

void apply_at(const RowView& v, float scalar, std::size_t from, std::span<float> out) {
    v.hypothesis->piece->apply(v.hypothesis->types, narrow_nearest, v.x.subspan(from, out.size()),
                               v.w.empty() ? v.w : v.w.subspan(from, out.size()), scalar, out);
}

std::int32_t position(float v) {
    const auto b = std::bit_cast<std::int32_t>(v);
    return b < 0 ? ~(b & 0x7fffffff) : b;
}

Envelope::Envelope(const RowView& v) {
    const auto f = [&](float scalar) {
        std::vector<float> y(v.x.size());
        apply_at(v, scalar, 0, y);
        return y;
    };
    if (v.set->interval) interval_ = {f(v.set->lo), f(v.set->hi)};
    if (v.set->zero) points_.push_back(f(0.0f));
    if (v.set->inf) points_.push_back(f(std::numeric_limits<float>::infinity()));
    if (v.set->nan) points_.push_back(f(std::numeric_limits<float>::quiet_NaN()));
}

bool Envelope::holds(std::size_t j, float y) const {
    const auto same = [y](float a) { return std::isnan(a) ? std::isnan(y) : position(a) == position(y); };
    for (const auto& p : points_)
        if (same(p[j])) return true;
    if (interval_.empty()) return false;
    const float a = interval_[0][j], b = interval_[1][j];
    if (std::isnan(a) || std::isnan(b) || std::isnan(y)) return same(a) || same(b);
    const std::int32_t p = position(a), q = position(b), at = position(y);
    return std::min(p, q) <= at && at <= std::max(p, q);
}

namespace {

template <class Better>
float extreme(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b,
              std::size_t j, Better better) {
    float best = std::numeric_limits<float>::quiet_NaN();
    for (const auto* list : {&a, &b})
        for (const auto& v : *list)
            if (std::isnan(best) || (!std::isnan(v[j]) && better(position(v[j]), position(best))))
                best = v[j];
    return best;
}

}  // namespace

float Envelope::lo(std::size_t j) const { return extreme(interval_, points_, j, std::less<>{}); }
float Envelope::hi(std::size_t j) const { return extreme(interval_, points_, j, std::greater<>{}); }

}  // namespace ulpgate::judging
