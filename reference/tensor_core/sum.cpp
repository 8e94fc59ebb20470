#include "reference/tensor_core/sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/base/text.hpp"

namespace ulpgate {
namespace {

constexpr int most_group = 64, most_chains = 4096;

std::int64_t groups_of(const TensorCoreSum& s, std::int64_t columns) { return (columns + s.group - 1) / s.group; }

}  // namespace

std::string TensorCoreSum::text() const {
    return "mma:" + std::to_string(group) + "x" + std::to_string(fraction_bits) + (chains > 1 ? "x" + std::to_string(chains) : "");
}

TensorCore TensorCoreSum::core() const {
    TensorCore c = group <= ampere.group ? ampere : hopper;
    c.group = group;
    c.fraction_bits = fraction_bits;
    return c;
}

std::optional<TensorCoreSum> find_tensor_core_sum(std::string_view text) {
    if (!text.starts_with("mma:")) return {};
    const auto fields = split(text.substr(4), 'x');
    TensorCoreSum s;
    if (fields.size() < 2 || fields.size() > 3) return {};
    int* const to[] = {&s.group, &s.fraction_bits, &s.chains};
    for (std::size_t k = 0; k < fields.size(); ++k)
        if (!parse_integer(fields[k], *to[k]) || *to[k] < 1) return {};
    const bool known = s.group <= most_group && (s.fraction_bits == 24 || s.fraction_bits == 25) && s.chains <= most_chains;
    return known ? std::optional(s) : std::nullopt;
}

double tensor_core_error(const TensorCoreSum& s, double magnitude, std::int64_t terms, std::int64_t columns, int additions_after) {
    if (terms <= 1 && !additions_after) return 0;
    const auto n = static_cast<double>(terms);
    // Rounded additions may carry a partial sum above the magnitudes' sum: by (1 + u) each.
    const std::int64_t joins = s.chains - 1 + additions_after;
    const double m = magnitude * std::pow(1 + 0x1p-24, static_cast<double>(joins)) * (1 + 0x1p-40);
    const double ufp = m > 0 ? std::ldexp(1.0, std::ilogb(m)) : 0;
    const auto steps = static_cast<double>(std::min(terms, groups_of(s, columns) + s.chains - 1) + joins);
    const double aligned = n * std::ldexp(ufp, -s.fraction_bits), cut = steps * 0x1p-23 * ufp;
    const double tiny = steps * 0x1p-149 + (n + steps) * std::ldexp(0x1p-126, -s.fraction_bits);
    return (aligned + cut + tiny) * (1 + 0x1p-40);
}

template <class F>
float tensor_core_sum(const TensorCoreSum& s, std::span<const float> x, std::span<const float> y) {
    std::vector<typename F::Word> a(x.size()), b(y.size());
    for (std::size_t k = 0; k < x.size(); ++k) a[k] = F::encode(x[k]), b[k] = F::encode(y[k]);
    const TensorCore core = s.core();
    const auto groups = groups_of(s, static_cast<std::int64_t>(x.size()));
    const auto at = [&](int chain) { return std::min(x.size(), static_cast<std::size_t>(groups * chain / s.chains * s.group)); };
    float sum = 0;
    for (int chain = 0; chain < s.chains; ++chain) {
        const std::size_t from = at(chain), n = at(chain + 1) - from;
        const float part = tensor_core_dot<F>(core, std::span(a).subspan(from, n), std::span(b).subspan(from, n), 0);
        sum = chain ? sum + part : part;
    }
    return sum;
}

template float tensor_core_sum<Bf16>(const TensorCoreSum&, std::span<const float>, std::span<const float>);
template float tensor_core_sum<Fp16>(const TensorCoreSum&, std::span<const float>, std::span<const float>);

}  // namespace ulpgate
