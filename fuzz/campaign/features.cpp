#include "fuzz/campaign/features.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/base/hash.hpp"
#include "reference/oracle/oracle.hpp"

namespace ulpgate::fuzzing {
namespace {

enum What : std::int64_t { verdict, width, scale, x_classes, y_classes, r_error, y_error, layout, limit, finding };

class Features {
  public:
    explicit Features(std::size_t entry) : entry_(static_cast<std::int64_t>(entry)) {}
    void add(What what, std::int64_t value, std::int64_t more = 0) {
        Hash h;
        h.add(entry_);
        h.add(static_cast<std::int64_t>(what));
        h.add(value);
        h.add(more);
        all.push_back(h.value());
    }
    std::vector<std::uint64_t> all;

  private:
    std::int64_t entry_;
};

// Which of zero, -0, subnormal, small, one or so, large, infinite, NaN occur.
template <class F>
std::int64_t classes(F f, std::uint32_t word) {
    const auto w = static_cast<typename F::Word>(word);
    if (f.is_nan(w)) return 1;
    if (f.is_inf(w)) return 2;
    if (f.is_zero(w)) return w & f.sign_bit ? 4 : 8;
    if (f.is_subnormal(w)) return 16;
    const int e = static_cast<int>((w & f.abs_mask) >> f.mantissa_bits) - f.bias;
    return e < f.emin / 2 ? 32 : e < -4 ? 64 : e <= 4 ? 128 : e <= f.emax / 2 ? 256 : 512;
}

// Classes of base-2 logarithms, `steps` an octave.
std::int64_t octaves(double v, int steps) {
    return v > 0 && std::isfinite(v) ? static_cast<std::int64_t>(std::floor(std::log2(v) * steps)) : v > 0 ? 4096 : -4096;
}

}  // namespace

std::vector<std::uint64_t> features_of(std::size_t entry, const Tensors& t, const Outcome& o, const Judgement& j) {
    Features f(entry);
    f.add(What::verdict, static_cast<std::int64_t>(j.verdict), j.incoherent);
    const Tensor& x = *t.find("x");
    f.add(What::width, octaves(static_cast<double>(x.width()), 1), x.width() % 32 ? 1 : 0);
    f.add(What::layout, (x.rows() > 1) + 2 * (x.extent() > x.count()) + 4 * (t.offset > 0) + 8 * (t.threads > 1), t.offset % 8);
    if (x.rows() == 0 || x.width() == 0) return f.all;
    std::vector<float> row(static_cast<std::size_t>(x.width()));
    x.read_row(0, row);
    f.add(What::scale, octaves(ideal_r(row, t.eps), 1));
    std::int64_t in = 0, out = 0;
    with_format(x.type, [&](auto format) {
        for (std::int64_t k = 0; k < x.width(); ++k) in |= classes(format, x.word(k));
    });
    f.add(What::x_classes, in);
    for (std::size_t k = 0; k < t.all.size() && k < o.out.size(); ++k) {
        const Tensor& v = t.all[k];
        if (v.spec->name != "y" || o.out[k].empty()) continue;
        const auto size = static_cast<std::size_t>(bytes(v.type));
        with_format(v.type, [&](auto format) {
            for (std::size_t at = 0; at + size <= o.out[k].size(); at += size) {
                std::uint32_t word = 0;
                std::memcpy(&word, &o.out[k][at], size);
                out |= classes(format, word);
            }
        });
    }
    f.add(What::y_classes, out);
    f.add(What::r_error, octaves(j.measure.worst_r_ulp32, 4));
    f.add(What::y_error, octaves(j.measure.worst_ulp, 4));
    f.add(What::limit, std::min<std::int64_t>(j.measure.spec_limit_rows, 2), std::min<std::int64_t>(j.measure.eps_dominated_rows, 2));
    for (const auto& text : j.findings) {
        Hash h;
        h.add(text.data(), std::min<std::size_t>(text.find(','), text.size()));
        f.add(What::finding, static_cast<std::int64_t>(h.value()));
    }
    return f.all;
}

}  // namespace ulpgate::fuzzing
