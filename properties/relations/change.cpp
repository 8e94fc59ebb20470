#include "properties/relations/change.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ulpgate::relations {
namespace {

bool counts(float v) { return std::isfinite(v) && v != 0; }

struct Range {  // of the finite nonzero magnitudes; lo > hi: none
    double lo = INFINITY, hi = 0;
    explicit Range(std::span<const float> values) {
        for (const float v : values) {
            if (!counts(v)) continue;
            lo = std::min(lo, std::fabs(static_cast<double>(v)));
            hi = std::max(hi, std::fabs(static_cast<double>(v)));
        }
    }
    bool empty() const { return lo > hi; }
    bool within(double a, double b) const { return empty() || (lo >= a && hi <= b); }
};

// Squares from 2^-108, divided by at most 2^16 columns, are normal; sums of 2^16 squares up to 2^108 are finite.
bool clear(std::span<const float> x, double eps) {
    return Range(x).within(0x1p-54, 0x1p54) && (eps == 0 || (eps >= 0x1p-100 && eps <= 0x1p100));
}

bool clear_products(std::span<const float> x, std::span<const float> w, double eps) {
    const Range of_x(x), of_w(w);
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    const double r = 1 / std::sqrt(sum / static_cast<double>(x.size()) + eps);
    if (of_w.empty()) return true;
    const auto normal = [](double lo, double hi) { return lo >= 0x1p-124 && hi <= 0x1p124; };
    return (of_x.empty() || normal(of_x.lo * of_w.lo, of_x.hi * of_w.hi)) &&
           (!(std::isfinite(r) && r > 0) || normal(r * of_w.lo, r * of_w.hi));
}

}  // namespace

void scale(Tensor* t, int k) {
    if (!t) return;
    std::vector<float> row(static_cast<std::size_t>(t->width()));
    for (std::int64_t i = 0; i < t->rows(); ++i) {
        t->read_row(i, row);
        for (float& v : row) v = std::ldexp(v, k);
        t->write_row(i, row);
    }
}

bool scaled_exactly(std::span<const float> before, int k, std::span<const float> after) {
    for (std::size_t j = 0; j < before.size(); ++j) {
        const float a = before[j], b = after[j];
        if (std::isnan(a) || (std::isinf(a) && a == b)) continue;
        if (!std::isfinite(b) || std::ldexp(a, k) != b || std::ldexp(b, -k) != a) return false;
    }
    return true;
}

Tensors laid_out(const Tensors& t, std::int64_t batch, std::int64_t tokens, std::int64_t d, std::int64_t ld, std::int64_t yld) {
    Sizes sizes = t.sizes;
    sizes[Dim::batch] = batch;
    sizes[Dim::tokens] = tokens;
    sizes[t.op->d] = d;
    t.op->derive(sizes);
    Tensors out = lay_out(*t.op, t.contract, sizes, ld, yld);
    out.eps = t.eps;
    out.config_eps = t.config_eps;
    out.offset = t.offset;
    out.threads = t.threads;
    for (Tensor& n : out.all) std::fill(n.storage.begin(), n.storage.end(), std::byte{0x3f});  // finite in every type
    return out;
}

void copy_row(const Tensor& from, std::int64_t from_row, Tensor& to, std::int64_t to_row, const std::vector<std::int64_t>& column) {
    const auto a = from.row_at(from_row), b = to.row_at(to_row);
    for (std::int64_t j = 0; j < to.width(); ++j)
        to.set_word(b + j, from.word(a + (column.empty() ? j : column[static_cast<std::size_t>(j)])));
}

bool statistic_is_normal(const RowPair& p) { return clear(p.x, p.eps) && clear(p.changed_x, p.changed_eps); }

bool products_are_normal(const RowPair& p) {
    const bool meets = std::any_of(p.claim.begin(), p.claim.end(), [](const Contract& c) {
        return c.map != Map::cast_first && c.assoc != Assoc::xr_w;
    });
    return !meets || (clear_products(p.x, p.w, p.eps) && clear_products(p.changed_x, p.changed_w, p.changed_eps));
}

bool sums_exactly(std::span<const float> x) {
    int lowest = 1 << 20;
    for (const float v : x) {
        if (!std::isfinite(v)) return false;
        if (v == 0) continue;
        int e = 0;
        const auto m = static_cast<std::uint32_t>(std::ldexp(std::frexp(std::fabs(v), &e), 24));
        lowest = std::min(lowest, e - 24 + std::countr_zero(m));
    }
    if (lowest == 1 << 20) return true;
    if (lowest < -62) return false;  // the smallest square is 2^(2 lowest)
    double sum = 0;
    for (const float v : x) {
        const double m = std::ldexp(static_cast<double>(v), -lowest);
        if (std::fabs(m) >= 0x1p12) return false;
        sum += m * m;
    }
    return sum < 0x1p23 && 2 * lowest + 23 < 127;
}

}  // namespace ulpgate::relations
