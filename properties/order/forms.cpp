#include "properties/order/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/admissible/row_set.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x666f726d;
constexpr int plain_rows = 16, wanted = 48, most_tries = 60000;

bool has_form(const std::string& text, std::string_view field) { return text.find(field) != text.npos; }

// A row of integers: random ones, then what is missing of S in squares, the largest first. false: no room.
bool integer_row(Rng& rng, Type t, std::span<float> x, double& sum) {
    const auto d = static_cast<std::uint32_t>(x.size());
    const std::uint32_t top = t == Type::bf16 ? 255 : 1023;
    const double most = std::min(16777215.0, static_cast<double>(d) * top * top / 4);
    const std::uint32_t target = 1 + rng.below(static_cast<std::uint32_t>(most));
    std::fill(x.begin(), x.end(), 0.0f);
    double left = std::max<double>(target, 128 * 128), s = 0;
    const std::uint32_t start = rng.below(d);
    for (std::uint32_t k = 0; k < d && left > 0; ++k) {
        const double highest = std::min<double>(std::floor(std::sqrt(left)), top);
        double m = highest;
        if (k < d / 2 && highest > 2) m = 1 + rng.below(static_cast<std::uint32_t>(std::min(highest, 1 + 3 * std::sqrt(left / d))));
        if (k == 0) m = std::min<double>(highest, 128 + rng.below(128));
        x[(start + k * 7919u) % d] += static_cast<float>(rng.below(2) ? m : -m);
        left -= m * m;
    }
    for (const float v : x) s += static_cast<double>(v) * static_cast<double>(v);
    sum = s;
    return s > 0 && s < 16777216 && std::all_of(x.begin(), x.end(), [&](float v) { return std::fabs(v) <= static_cast<float>(top); });
}

struct Built {
    std::vector<float> x, w;
    std::int64_t rows = 0, splitting = 0;
};

std::vector<float> predicted(const Model& m, std::span<const float> x, std::span<const float> w, double sum, double eps) {
    std::vector<float> y(x.size());
    m.elements(x, w, m.from_sum(sum, x, eps), y);
    return y;
}

double exact_sum(std::span<const float> x) {
    double s = 0;
    for (const float v : x) s += static_cast<double>(v) * static_cast<double>(v);
    return s;
}

// Rows that tell at least two of the forms apart, most pairs first come; then plain ones.
Built build(const Prober& p, const std::vector<Form>& forms, const std::vector<float>& w, double eps, std::uint64_t seed) {
    Built b;
    b.w = w;
    const auto d = static_cast<std::size_t>(p.d());
    std::vector<float> x(d);
    std::vector<std::vector<float>> y(forms.size());
    std::vector<int> told(forms.size() * forms.size());
    for (int tries = 0; b.splitting < wanted && tries < most_tries / std::max(1, static_cast<int>(d / 256)); ++tries) {
        Rng rng(seed, stream, static_cast<std::uint64_t>(tries));
        double sum = 0;
        if (!integer_row(rng, p.x_type(), x, sum)) continue;
        for (std::size_t f = 0; f < forms.size(); ++f) y[f] = predicted(forms[f].model, x, w, sum, eps);
        bool useful = tries < plain_rows;
        bool splits = false;
        for (std::size_t f = 0; f < forms.size(); ++f)
            for (std::size_t g = f + 1; g < forms.size(); ++g)
                if (int& n = told[f * forms.size() + g]; y[f] != y[g] && n < wanted / 3) ++n, splits = true;
        if (!useful && !splits) continue;
        b.x.insert(b.x.end(), x.begin(), x.end());
        ++b.rows;
        b.splitting += splits;
    }
    return b;
}

int steps_between(float a, float b) { return std::bit_cast<std::int32_t>(a) - std::bit_cast<std::int32_t>(b); }

}  // namespace

std::string Form::words() const {
    std::string s = model.contract.mean == Mean::recip ? "mean S * fl(1/d)" : "mean S / d";
    if (model.map->by == By::div) return s + ", x / sqrt(v)";
    if (model.r_steps) return s + fmt::format(", 1/sqrt moved by {:+d} ulp32", model.r_steps);
    return s + (has_form(text, "recip_sqrt") ? ", r = 1 / sqrtf(v)" : ", r = 1/sqrt(v) correctly rounded");
}

std::string model_text(const Model& m, const std::string& order, bool fma) {
    Contract c = m.contract;
    if (c.map == Map::f32_gain) c.assoc = m.map->assoc;
    c.order = order.empty() ? "any" : order;
    c.inplace = InPlace::never;
    c.holds = Contract{}.holds;
    c.rsqrt = Contract{}.rsqrt;
    auto s = print(c);
    if (fma) s += ",fma";
    if (m.map->by == By::mul && m.rsqrt && m.fault.empty()) s += ",rsqrt_form=recip_sqrt";
    if (m.r_steps) s += fmt::format(",rsqrt_form={}:{}", m.r_steps > 0 ? "up" : "down", std::abs(m.r_steps));
    if (m.f64_mean) s += ",mean_in=f64";
    if (!m.fault.empty()) s += ",fault=" + m.fault;
    return s;
}

std::vector<Form> forms_of(const std::vector<Contract>& contracts) {
    std::vector<Form> out;
    for (const Contract& c : contracts) {
        for (const MapPiece* piece : maps_for(c)) {
            for (const Mean mean : {Mean::div, Mean::recip}) {
                if (c.mean != Mean::any && c.mean != mean) continue;
                for (const char* root : {"", ",rsqrt_form=recip_sqrt"}) {
                    if (piece->by == By::div && *root) continue;
                    Contract k = c;
                    k.assoc = piece->assoc;
                    k.order = "any";
                    k.mean = mean;
                    k.rsqrt = Contract{}.rsqrt;
                    k.inplace = InPlace::never;
                    k.holds = Contract{}.holds;
                    Form f;
                    if (parse(print(k) + root, f.model)) continue;
                    f.text = print(k) + root;
                    if (std::none_of(out.begin(), out.end(), [&](const Form& o) { return o.text == f.text; })) out.push_back(std::move(f));
                }
            }
        }
    }
    return out;
}

FormFinding find_forms(Prober& p, std::vector<Form> candidates) {
    FormFinding out;
    if (candidates.empty()) return out;
    const double eps = 1e-6;
    const auto d = static_cast<std::size_t>(p.d());
    for (int round = 0; round < 2; ++round) {  // a unit gain shows the roots, random gains the associations
        std::vector<Form> open;
        for (auto& f : candidates)
            if (f.excluded_by < 0) open.push_back(f);
        if (open.empty()) break;
        auto w = p.unit_gain();
        if (round == 0 && p.contract().gain != Gain::none)
            for (std::size_t j = 0; j < d; ++j) {
                Rng rng(7, stream + 1, j);
                w[j] = round_to(p.contract().w, 0.5f + static_cast<float>(rng.below(1 << 20)) * 0x1.8p-20f);
            }
        const auto b = build(p, open, p.contract().gain == Gain::none ? std::vector<float>{} : w, eps, static_cast<std::uint64_t>(round));
        const auto words = p.ask_rows(b.x, w, eps);
        if (words.empty()) return out;
        const Type y = p.contract().y;
        for (std::int64_t i = 0; i < b.rows; ++i) {
            const auto x = std::span(b.x).subspan(static_cast<std::size_t>(i) * d, d);
            const double sum = exact_sum(x);
            for (auto& f : candidates) {
                if (f.excluded_by >= 0) continue;
                const auto want = predicted(f.model, x, b.w, sum, eps);
                for (std::size_t j = 0; j < d && f.excluded_by < 0; ++j)
                    if (encode(y, want[j]) != words[static_cast<std::size_t>(i) * d + j]) f.excluded_by = out.rows + i, f.col = static_cast<int>(j);
            }
            // r by itself, against the first form's correctly rounded one
            const auto& base = candidates.front();
            std::vector<float> got(d);
            for (std::size_t j = 0; j < d; ++j) got[j] = decode(y, words[static_cast<std::size_t>(i) * d + j]);
            const RowSet s = reproduce(*base.model.map, map_types(base.model.contract), x, b.w, got);
            if (!s.any || s.lo <= 0 || !std::isfinite(s.hi)) continue;
            const float r = base.model.from_sum(sum, x, eps);
            const int low = steps_between(s.lo, r), high = steps_between(s.hi, r);
            if (high < 0) out.steps_low = std::min(out.steps_low, high), out.measured = true;
            if (low > 0) out.steps_high = std::max(out.steps_high, low), out.measured = true;
        }
        out.rows += b.rows;
        out.splitting += b.splitting;
        if (b.rows) out.row.assign(b.x.end() - static_cast<std::ptrdiff_t>(d), b.x.end());
        if (round == 0 && p.contract().gain == Gain::none) break;
    }
    for (auto& f : candidates) (f.excluded_by < 0 ? out.equal : out.excluded).push_back(f);
    return out;
}

}  // namespace ulpgate
