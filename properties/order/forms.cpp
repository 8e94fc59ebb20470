#include "properties/order/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "properties/order/integers.hpp"
#include "reference/admissible/row_set.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x666f726d;
constexpr int plain_rows = 16, wanted = 48, most_tries = 12000;

bool has_form(const std::string& text, std::string_view field) { return text.find(field) != text.npos; }

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

// Rows in which one column, of integer m, tells at least two of the forms apart; then plain ones.
Built build(const Prober& p, const std::vector<Form>& forms, const std::vector<float>& w, double eps, std::uint64_t seed) {
    Built b;
    b.w = w;
    const auto d = static_cast<std::uint32_t>(p.d());
    const double top = p.x_type() == Type::bf16 ? 255 : 1023, most = std::min(16777215.0, d * top * top / 4);
    std::vector<float> x(d), values(128), gains(w.empty() ? 0 : values.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(128 + k);
    std::vector<std::vector<float>> y(forms.size(), std::vector<float>(values.size()));
    std::vector<float> r(forms.size());
    std::vector<int> told(forms.size() * forms.size());
    const auto add = [&] {
        b.x.insert(b.x.end(), x.begin(), x.end());
        ++b.rows;
    };
    for (int tries = 0; b.splitting < wanted && tries < most_tries; ++tries) {
        Rng rng(seed, stream, static_cast<std::uint64_t>(tries));
        const double sum = 65536 + rng.below(static_cast<std::uint32_t>(most - 65536));
        const auto j = rng.below(d);
        if (b.rows - b.splitting < plain_rows && integer_row(rng, top, x, j, 128 + rng.below(128), sum)) add();
        bool differ = false;
        for (std::size_t f = 0; f < forms.size(); ++f) {
            r[f] = forms[f].model.from_sum(sum, x, eps);
            differ = differ || r[f] != r[0] || forms[f].model.map != forms[0].model.map;
        }
        if (!differ) continue;
        std::fill(gains.begin(), gains.end(), w.empty() ? 0.0f : w[j]);
        for (std::size_t f = 0; f < forms.size(); ++f) forms[f].model.elements(values, gains, r[f], y[f]);
        for (std::size_t k = 0; k < values.size(); ++k) {
            bool splits = false;
            for (std::size_t f = 0; f < forms.size(); ++f)
                for (std::size_t g = f + 1; g < forms.size(); ++g) splits = splits || (y[f][k] != y[g][k] && told[f * forms.size() + g] < wanted / 3);
            if (!splits || !integer_row(rng, top, x, j, 128.0 + static_cast<double>(k), sum)) continue;
            for (std::size_t f = 0; f < forms.size(); ++f)
                for (std::size_t g = f + 1; g < forms.size(); ++g) told[f * forms.size() + g] += y[f][k] != y[g][k];
            add();
            ++b.splitting;
            break;
        }
    }
    return b;
}

// Column of the first of these values that is not this word; -1: none.
int first_difference(Type t, std::span<const float> values, std::span<const std::uint32_t> words) {
    std::vector<std::byte> stored(values.size() * static_cast<std::size_t>(bytes(t)));
    pack(t, values, stored.data());
    const auto in = [&]<class Word>(Word word) {
        for (std::size_t j = 0; j < words.size(); ++j) {
            std::memcpy(&word, stored.data() + j * sizeof word, sizeof word);
            if (word != words[j]) return static_cast<int>(j);
        }
        return -1;
    };
    return bytes(t) == 4 ? in(std::uint32_t{}) : bytes(t) == 2 ? in(std::uint16_t{}) : in(std::uint8_t{});
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
                const bool own = f.model.sum || f.model.weight;  // a changed sum: of integers, in its own order
                const auto want = predicted(f.model, x, b.w, own ? f.model.sum_of(x) : sum, eps);
                if (const int col = first_difference(y, want, std::span(words).subspan(static_cast<std::size_t>(i) * d, d)); col >= 0)
                    f.excluded_by = out.rows + i, f.col = col;
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
