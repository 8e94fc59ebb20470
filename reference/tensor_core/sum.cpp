#include "reference/tensor_core/sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/base/text.hpp"

namespace ulpgate {
namespace {

constexpr int most_group = 64, most_chains = 4096, few_bits = 13;

std::int64_t ceil_div(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }
double ufp(double m) { return m > 0 ? std::ldexp(1.0, std::ilogb(m)) : 0; }

// Both of `columns` columns in chains of `promoted`, or in `chains` of them.
std::int64_t chains_of(const TensorCoreSum& s, std::int64_t columns) { return s.promoted ? ceil_div(columns, s.promoted) : s.chains; }
std::int64_t groups_of(const TensorCoreSum& s, std::int64_t columns) {
    return s.promoted ? chains_of(s, columns) * ceil_div(std::min<std::int64_t>(columns, s.promoted), s.group) : ceil_div(columns, s.group) + s.chains - 1;
}

// Below the range of normal numbers: of `terms` operands cut at the floor, and of `steps` sums cut to f32.
double tiny(const TensorCoreSum& s, double terms, double steps) {
    return steps * std::ldexp(0x1p-126, -s.core().kept_bits) + (terms + steps) * std::ldexp(0x1p-126, -s.fraction_bits);
}

double joined_error(const TensorCoreSum& s, double magnitude, std::int64_t terms, std::int64_t columns, int additions_after) {
    const auto n = static_cast<double>(terms);
    // Rounded additions may carry a partial sum above the magnitudes' sum: by (1 + u) each.
    const std::int64_t joins = s.chains - 1 + additions_after;
    const double m = magnitude * std::pow(1 + 0x1p-24, static_cast<double>(joins)) * (1 + 0x1p-40);
    const auto steps = static_cast<double>(std::min(terms, groups_of(s, columns)) + joins);
    return n * std::ldexp(ufp(m), -s.fraction_bits) + steps * 0x1p-23 * ufp(m) + tiny(s, n, steps);
}

double promoted_error(const TensorCoreSum& s, double magnitude, std::int64_t terms, std::int64_t columns, int additions_after, double largest_scale) {
    const std::int64_t chains = chains_of(s, columns), in_chain = ceil_div(std::min<std::int64_t>(columns, s.promoted), s.group);
    const auto all = static_cast<double>(terms), all_steps = static_cast<double>(std::min(terms, groups_of(s, columns)));
    const auto n = static_cast<double>(std::min<std::int64_t>(terms, s.promoted)), steps = static_cast<double>(std::min(terms, in_chain));
    const int kept = s.core().kept_bits;
    const double m = magnitude * (1 + 0x1p-40);
    const double lost = std::min(((n + steps) * std::ldexp(1.0, -s.fraction_bits) + steps * std::ldexp(1.0, -kept)) * m,
                                 ((all + all_steps) * std::ldexp(1.0, -s.fraction_bits) + all_steps * std::ldexp(1.0, -kept)) * (largest_scale > 0 ? m : ufp(m))) +
                        tiny(s, all, all_steps) * std::max(1.0, largest_scale);
    // A product with a scale is one rounding more of each chain.
    const auto rounded = static_cast<double>(std::min(terms, chains) + additions_after + (largest_scale > 0));
    const double joins = rounded * 0x1p-24 / (1 - rounded * 0x1p-24) * (m + lost);
    return lost + joins + (largest_scale > 0 ? static_cast<double>(chains) * 0x1p-149 : 0);
}

}  // namespace

std::string TensorCoreSum::text() const {
    return "mma:" + std::to_string(group) + "x" + std::to_string(fraction_bits) + (chains > 1 ? "x" + std::to_string(chains) : "") + (promoted ? ":" + std::to_string(promoted) : "");
}

TensorCore TensorCoreSum::core() const {
    TensorCore c = group <= ampere.group ? ampere : hopper;
    c.group = group;
    c.fraction_bits = fraction_bits;
    c.kept_bits = std::min(c.kept_bits, fraction_bits);
    return c;
}

std::optional<TensorCoreSum> find_tensor_core_sum(std::string_view text) {
    if (!text.starts_with("mma:")) return {};
    text.remove_prefix(4);
    TensorCoreSum s;
    if (const auto colon = text.find(':'); colon != text.npos) {
        if (!parse_integer(text.substr(colon + 1), s.promoted) || s.promoted < 1 || s.promoted > most_chains) return {};
        text = text.substr(0, colon);
    }
    const auto fields = split(text, 'x');
    if (fields.size() < 2 || fields.size() > (s.promoted ? 2u : 3u)) return {};
    int* const to[] = {&s.group, &s.fraction_bits, &s.chains};
    for (std::size_t k = 0; k < fields.size(); ++k)
        if (!parse_integer(fields[k], *to[k]) || *to[k] < 1) return {};
    const bool bits = s.fraction_bits == 24 || s.fraction_bits == 25 || (s.promoted && s.fraction_bits == few_bits);
    return s.group <= most_group && bits && s.chains <= most_chains ? std::optional(s) : std::nullopt;
}

double tensor_core_error(const TensorCoreSum& s, double magnitude, std::int64_t terms, std::int64_t columns, int additions_after, double largest_scale) {
    if (terms <= 1 && !additions_after && largest_scale == 0 && exact_where_f32_is(s)) return 0;
    return (s.promoted ? promoted_error(s, magnitude, terms, columns, additions_after, largest_scale) : joined_error(s, magnitude, terms, columns, additions_after)) * (1 + 0x1p-40);
}

template <class F>
float tensor_core_sum(const TensorCoreSum& s, std::span<const float> x, std::span<const float> y, std::span<const float> scale, std::size_t block) {
    std::vector<typename F::Word> a(x.size()), b(y.size());
    for (std::size_t k = 0; k < x.size(); ++k) a[k] = F::encode(x[k]), b[k] = F::encode(y[k]);
    const TensorCore core = s.core();
    const auto columns = static_cast<std::int64_t>(x.size()), groups = ceil_div(columns, s.group), chains = chains_of(s, columns);
    const auto at = [&](std::int64_t chain) { return static_cast<std::size_t>(std::min(columns, s.promoted ? chain * s.promoted : groups * chain / chains * s.group)); };
    float sum = 0;
    for (std::int64_t chain = 0; chain < chains; ++chain) {
        const std::size_t from = at(chain), n = at(chain + 1) - from;
        float part = tensor_core_dot<F>(core, std::span(a).subspan(from, n), std::span(b).subspan(from, n), 0);
        if (!scale.empty() && n) part *= scale[from / block];
        sum = chain ? sum + part : part;
    }
    return sum;
}

template float tensor_core_sum<Bf16>(const TensorCoreSum&, std::span<const float>, std::span<const float>, std::span<const float>, std::size_t);
template float tensor_core_sum<Fp16>(const TensorCoreSum&, std::span<const float>, std::span<const float>, std::span<const float>, std::size_t);

}  // namespace ulpgate
