#include "properties/order/reading.hpp"

#include <algorithm>
#include <cmath>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x72656164;
constexpr std::size_t enough = 24;  // candidates of one form
constexpr int most_settings = 400;  // of scale and eps

float ulp_of(float v) { return std::nextafter(v, INFINITY) - v; }

struct Candidate {
    float m, h, g;
};
struct Setting {
    double eps = 1e-6;
    std::vector<Candidate> all;
};

// Values of T whose squares lie strictly between lo and hi, at most `most` of them.
std::vector<float> roots_between(Type t, double lo, double hi, std::size_t most, Rng& rng) {
    std::vector<float> out;
    const int bits = t == Type::bf16 ? 8 : 11;
    for (int e = static_cast<int>(std::floor(std::log2(lo) / 2)) - 1; e <= std::log2(hi) / 2 + 1; ++e)
        for (int c = 1 << (bits - 1); c < 1 << bits; ++c) {
            const double v = std::ldexp(c, e - bits + 1);
            if (v * v > lo && v * v < hi) out.push_back(static_cast<float>(v));
        }
    for (std::size_t k = 0; k + 1 < out.size(); ++k) std::swap(out[k], out[k + rng.below(static_cast<std::uint32_t>(out.size() - k))]);
    out.resize(std::min(out.size(), most));
    return out;
}

// Pairs (m, h) for which the form predicts different outputs of h at M and at M + ulp(M).
void predict(const Form& f, double eps, int scale, std::size_t width, Rng& rng, std::vector<Candidate>& out) {
    const std::vector<float> shape(width);
    const Type t = f.model.contract.x;
    std::vector<float> low, high, ones;
    for (int m = 128; m < 256; ++m) {
        const float x = std::ldexp(static_cast<float>(m), scale), M = x * x, ulp = ulp_of(M);
        const float r = f.model.from_sum(static_cast<double>(M), shape, eps), next = f.model.from_sum(static_cast<double>(M) + static_cast<double>(ulp), shape, eps);
        if (r == next) continue;
        const auto h = roots_between(t, static_cast<double>(ulp) / 4, static_cast<double>(ulp) / 2, 128, rng);
        low.resize(h.size());
        high.resize(h.size());
        const bool offset = f.model.contract.gain == Gain::one_plus || f.model.contract.gain == Gain::one_plus_t;
        ones.assign(f.model.contract.gain == Gain::none ? 0 : h.size(), offset ? 0.0f : 1.0f);
        f.model.elements(h, ones, r, low);
        f.model.elements(h, ones, next, high);
        for (std::size_t k = 0; k < h.size(); ++k) {
            if (low[k] == high[k] || out.size() >= enough) continue;
            out.push_back({x, h[k], roots_between(t, 0.7 * static_cast<double>(ulp), 0.95 * static_cast<double>(ulp), 1, rng).front()});
        }
    }
}

// The settings with the most candidates, one a form at least.
std::vector<Setting> settings(std::span<const Form> forms, std::int64_t d) {
    std::vector<Setting> out;
    std::vector<std::size_t> covered(forms.size());
    for (int k = 0; k < most_settings; ++k) {
        Rng rng(1, stream, static_cast<std::uint64_t>(k));
        const int scale = 4 + k % 3;  // x from 2^11 to 2^14: h and its output are normal in fp16
        Setting s;
        // eps moves r: up to a half of the mean square, which then keeps its ulp
        if (k >= 3) s.eps = std::ldexp(1.0 + rng.below(1 << 20) * 0x1p-20, 2 * scale + 14 - static_cast<int>(rng.below(6)) - 2) / static_cast<double>(d);
        std::vector<Candidate> best;
        for (std::size_t f = 0; f < forms.size(); ++f) {
            if (covered[f] >= 4) continue;
            std::vector<Candidate> found;
            predict(forms[f], s.eps, scale, static_cast<std::size_t>(d), rng, found);
            covered[f] += !found.empty();
            s.all.insert(s.all.end(), found.begin(), found.end());
        }
        if (!s.all.empty()) out.push_back(std::move(s));
        if (std::all_of(covered.begin(), covered.end(), [](auto n) { return n >= 4; })) break;
    }
    return out;
}

}  // namespace

Reading calibrate(Prober& p, std::span<const Form> forms) {
    Reading out;
    if (p.d() < 4) return out;
    const int half = static_cast<int>(p.d()) / 2, next = half == 2 ? 3 : 2;
    for (const Setting& s : settings(forms, p.d())) {
        std::vector<Probe> probes;
        for (const Candidate& c : s.all) {  // near and far columns alike
            probes.push_back({{{0, c.m}, {half, c.h}}, half});
            probes.push_back({{{0, c.m}, {1, c.g}, {half, c.h}}, half});
            probes.push_back({{{next, c.m}, {1, c.h}}, 1});
            probes.push_back({{{half, c.m}, {next, c.g}, {1, c.h}}, 1});
        }
        const auto y = p.ask(probes, s.eps);
        if (y.empty()) return out;
        out.tried += static_cast<std::int64_t>(s.all.size());
        for (std::size_t k = 0; k < s.all.size(); ++k) {
            const auto* a = &y[4 * k];
            if (a[0] == a[1] || a[0] != a[2] || a[1] != a[3]) continue;
            return {true, s.all[k].m, s.all[k].h, s.all[k].g, s.eps, a[0], a[1], out.tried};
        }
    }
    return out;
}

Wider ask_wider(Prober& p, const Reading& r, std::int64_t probes) {
    Wider out;
    const double ulp = static_cast<double>(ulp_of(r.m * r.m)), h = static_cast<double>(r.h) * static_cast<double>(r.h);
    std::vector<float> parts;  // squares of T that make ulp/2 - h exactly
    double left = ulp / 2 - h;
    const double unit = std::ldexp(1.0, std::ilogb(r.h) - (p.x_type() == Type::bf16 ? 7 : 10));
    while (left > 0 && parts.size() < 16) {
        double k = std::floor(std::sqrt(left) / unit);
        k = std::min(k, p.x_type() == Type::bf16 ? 255.0 : 2047.0);
        if (k < 1) return out;
        parts.push_back(static_cast<float>(k * unit));
        left -= k * k * unit * unit;
    }
    const float bit = static_cast<float>(std::ldexp(1.0, static_cast<int>(std::floor(std::log2(ulp * 0x1p-28) / 2))));
    const auto needed = parts.size() + 3;
    if (left != 0 || static_cast<std::size_t>(p.d()) < needed || round_to(p.x_type(), bit) != bit) return out;
    std::vector<Probe> rows;
    for (std::int64_t k = 0; k < probes; ++k) {
        Rng rng(2, stream + 1, static_cast<std::uint64_t>(k));
        std::vector<int> columns;
        while (columns.size() < needed)
            if (const int c = static_cast<int>(rng.below(static_cast<std::uint32_t>(p.d()))); std::find(columns.begin(), columns.end(), c) == columns.end()) columns.push_back(c);
        Probe row{{{columns[0], r.m}, {columns[1], r.h}, {columns[2], bit}}, columns[1]};
        for (std::size_t j = 0; j < parts.size(); ++j) row.spots.push_back({columns[3 + j], parts[j]});
        rows.push_back(std::move(row));
    }
    for (const auto w : p.ask(rows, r.eps)) {
        ++out.probes;
        out.more += w == r.more;
        out.same += w == r.same;
    }
    return out;
}

}  // namespace ulpgate
