#include "properties/order/recover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "properties/order/named.hpp"
#include "properties/order/words.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x6f726472;

std::vector<int> columns_of(std::int64_t d, const OrderOptions& o) {
    std::vector<int> all(static_cast<std::size_t>(d));
    std::iota(all.begin(), all.end(), 0);
    if (d <= o.most_columns) return all;
    // the beginning, the end (a tail), and a run in the middle
    const auto third = o.sampled_columns / 3;
    std::set<int> some;
    for (int k = 0; k < third; ++k) {
        some.insert(k);
        some.insert(static_cast<int>(d) - 1 - k);
        some.insert(static_cast<int>(d) / 2 + k);
    }
    return {some.begin(), some.end()};
}

// Predicted outputs of a row, as they are stored.
bool gives(const Model& m, std::span<const float> x, std::span<const float> w, double sum, double eps, std::span<const std::byte> got) {
    std::vector<float> y(x.size());
    m.elements(x, w, m.from_sum(sum, x, eps), y);
    std::vector<std::byte> words(got.size());
    pack(m.contract.y, y, words.data());
    return words.size() == y.size() * static_cast<std::size_t>(bytes(m.contract.y)) && std::memcmp(words.data(), got.data(), words.size()) == 0;
}

std::vector<std::byte> stored(Type t, std::span<const std::uint32_t> words) {
    const auto width = static_cast<std::size_t>(bytes(t));
    std::vector<std::byte> out(words.size() * width);
    for (std::size_t k = 0; k < words.size(); ++k) std::memcpy(out.data() + k * width, &words[k], width);
    return out;
}

struct Rows {
    std::vector<float> x, w;
    std::vector<std::byte> y;
    double eps;
    std::int64_t n, d;
    std::span<const float> row(std::int64_t i) const { return std::span(x).subspan(static_cast<std::size_t>(i * d), static_cast<std::size_t>(d)); }
    std::span<const std::byte> got(std::int64_t i) const {
        const auto width = y.size() / static_cast<std::size_t>(n);
        return std::span(y).subspan(static_cast<std::size_t>(i) * width, width);
    }
};

// How many rows from the first on are given; sum(row): by order or tree.
template <class Sum>
std::int64_t given(const Model& m, const Rows& r, Sum sum) {
    std::int64_t i = 0;
    while (i < r.n && gives(m, r.row(i), r.w, sum(r.row(i)), r.eps, r.got(i))) ++i;
    return i;
}

// Rows in which another order shows: its outputs are looked at, at every column, under the same form.
std::int64_t telling_rows(const Model& m, const Tree& t, bool fma, const Rows& r, std::int64_t& first) {
    const auto sequential = find_order("sequential"), pairwise = find_order("pairwise");
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < r.n; ++i) {
        const auto x = r.row(i);
        const float own = t.sum(x, fma);
        const float s = sequential->order->f32({x.data()}, x.size(), sequential->p), p = pairwise->order->f32({x.data()}, x.size(), pairwise->p);
        const float other = s != own ? s : p;
        if (other == own || gives(m, x, r.w, static_cast<double>(other), r.eps, r.got(i))) continue;
        if (n++ == 0) first = i;
    }
    return n;
}

// Rows that show the order: most random rows of a 16-bit output do not, so that one column is given the value which does.
std::vector<float> showing_rows(const Form& f, const Tree& t, Type type, std::int64_t d, int wanted, std::span<const float> w, double eps) {
    const auto width = static_cast<std::size_t>(d);
    std::vector<float> out;
    const int tries = static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 21) / d, 256, 8192));
    const auto sequential = find_order("sequential"), pairwise = find_order("pairwise");
    std::vector<float> choices(256), high(256), low(256), gains(w.empty() ? 0 : 256);
    int found = 0;
    for (int k = 0; k < tries && found < wanted; ++k) {
        auto x = order_rows(type, d, 1, 1000 + static_cast<std::uint64_t>(k));
        const auto at = static_cast<std::size_t>(k) % width;
        x[at] = 0;
        const auto own = t.sum(x, false);
        auto other = sequential->order->f32({x.data()}, x.size(), sequential->p);
        if (other == own) other = pairwise->order->f32({x.data()}, x.size(), pairwise->p);
        if (other == own) continue;
        const float r = f.model.from_sum(static_cast<double>(own), x, eps), q = f.model.from_sum(static_cast<double>(other), x, eps);
        const float scale = std::ldexp(1.0f, std::ilogb(std::sqrt(own)) - 26);  // too small to move the sum, as a rule
        for (std::size_t c = 0; c < choices.size(); ++c) choices[c] = scale * static_cast<float>(128 + c % 128) * (c < 128 ? 1.0f : 0.5f);
        for (auto& c : choices) c = round_to(type, c);
        std::fill(gains.begin(), gains.end(), w.empty() ? 0.0f : w[at]);
        f.model.elements(choices, gains, r, low);
        f.model.elements(choices, gains, q, high);
        for (std::size_t c = 0; c < choices.size(); ++c) {
            if (low[c] == high[c]) continue;
            auto y = x;
            y[at] = choices[c];
            if (t.sum(y, false) != own) continue;
            out.insert(out.end(), y.begin(), y.end());
            ++found;
            break;
        }
    }
    return out;
}

std::vector<float> gain_for(const Prober& p) {
    auto w = p.unit_gain();
    for (std::size_t j = 0; j < w.size(); ++j) {
        Rng rng(11, stream + 2, j);
        w[j] = round_to(p.contract().w, static_cast<float>(128 + rng.below(128)) * 0x1p-7f);
    }
    return w;
}

}  // namespace

std::vector<float> order_rows(Type t, std::int64_t d, int rows, std::uint64_t seed) {
    std::vector<float> out(static_cast<std::size_t>(d) * static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
        Rng rng(seed, stream + 1, static_cast<std::uint64_t>(i));
        const int kind = rng.between(0, 3);
        const auto row = std::span(out).subspan(static_cast<std::size_t>(i) * static_cast<std::size_t>(d), static_cast<std::size_t>(d));
        for (float& v : row) {
            const float g = static_cast<float>(rng.gauss()) * 0x1p-16f;
            v = kind == 0 ? g : kind == 1 ? std::ldexp(g, rng.between(-6, 6)) : 1.0f + static_cast<float>(rng.below(128)) * 0x1p-7f;
        }
        // kind 2: one large value; kind 3: several, and the rest just too small for each alone
        const int spikes = kind == 2 ? 1 : kind == 3 ? 1 + rng.between(0, 40) : 0;
        for (int k = 0; k < spikes; ++k) row[rng.below(static_cast<std::uint32_t>(d))] = std::ldexp(1.0f + static_cast<float>(rng.below(64)) * 0x1p-6f, 11);
        for (float& v : row) v = round_to(t, v);
    }
    return out;
}

namespace {

// Which of forms x named orders x {mul and add, FMA} give the random rows; the tree itself where no order is named.
void replay(Prober& p, const std::vector<Form>& forms, std::vector<OrderChoice> named, const OrderOptions& o, OrderFinding& out) {
    if (forms.empty()) return;
    const bool gained = p.contract().gain != Gain::none;
    Rows r{order_rows(p.x_type(), p.d(), o.rows, 99), gain_for(p), {}, 1e-6, o.rows, p.d()};
    const bool whole = out.kind == OrderFinding::Kind::tree || !named.empty();
    Tree tree = out.tree;
    if (out.kind == OrderFinding::Kind::regular) {
        Tree grown;
        grown.root = named[0].order->tree({&grown, {}}, static_cast<std::size_t>(p.d()), named[0].p);
        tree = out.tree = grown;
    }
    if (!whole) return;
    if (p.x_type() != Type::f32 || p.contract().y != Type::f32) {
        const auto shown = showing_rows(forms[0], tree, p.x_type(), p.d(), o.rows, gained ? std::span<const float>(r.w) : std::span<const float>(), r.eps);
        r.x.insert(r.x.end(), shown.begin(), shown.end());
        r.n += static_cast<std::int64_t>(shown.size()) / p.d();
    }
    r.y = stored(p.contract().y, p.ask_rows(r.x, r.w, r.eps));
    if (r.y.empty()) return;
    if (!gained) r.w.clear();
    out.replayed = r.n;
    const Form* best = nullptr;
    bool best_fma = false;
    bool with[2] = {false, false};
    std::vector<std::string> texts;
    for (const Form& f : forms)
        for (const bool fma : {false, true}) {
            const auto n = given(f.model, r, [&](std::span<const float> x) { return static_cast<double>(tree.sum(x, fma)); });
            if (n > out.equal || !best) out.equal = n, best = &f, best_fma = fma;
            if (n < r.n) continue;
            with[fma] = true;
            if (fma && with[0]) continue;  // not told apart: without is simpler
            for (const auto& c : named) {
                const auto text = model_text(f.model, c.text(), fma);
                Model m;  // the text itself is what is claimed
                if (parse(text, m)) continue;
                const auto all = given(m, r, [&](std::span<const float> x) { return m.sum_of(x); });
                if (all == r.n) texts.push_back(text);
            }
        }
    out.models = texts;
    out.by_tree = texts.empty() && out.equal == r.n;
    out.fma_told = with[0] != with[1];
    out.fma = with[1] && !with[0];
    std::int64_t at = -1;
    out.telling = out.equal == r.n ? telling_rows(best->model, tree, best_fma, r, at) : 0;
    if (out.equal < r.n) at = out.differing_row = out.equal;
    if (at >= 0) out.row.assign(r.row(at).begin(), r.row(at).end());
}

void replay_wider(Prober& p, const std::vector<Form>& forms, const OrderOptions& o, OrderFinding& out) {
    Rows r{order_rows(p.x_type(), p.d(), o.rows, 99), gain_for(p), {}, 1e-6, o.rows, p.d()};
    r.y = stored(p.contract().y, p.ask_rows(r.x, r.w, r.eps));
    if (r.y.empty()) return;
    if (p.contract().gain == Gain::none) r.w.clear();
    out.replayed = r.n;
    for (const Form& f : forms) {
        const auto n = given(f.model, r, [&](std::span<const float> x) { return f.model.sum_of(x); });
        out.equal = std::max(out.equal, n);
        if (n == r.n) out.models.push_back(f.text);
    }
}

}  // namespace

OrderFinding recover_order(Prober& p, const std::vector<Form>& forms, const OrderOptions& o) {
    OrderFinding out;
    out.d = p.d();
    const auto calls_before = p.calls;
    const auto done = [&](OrderFinding::Kind kind, std::string why) {
        out.kind = kind;
        out.why = p.error.empty() ? std::move(why) : p.error;
        out.calls = p.calls - calls_before;
        return out;
    };
    using Kind = OrderFinding::Kind;
    if (p.d() < 4) return done(Kind::unreadable, fmt::format("{} columns: too few to ask about", p.d()));
    const Reading reading = calibrate(p, forms);
    out.probes += 4 * reading.tried;
    if (!reading.found)
        return done(Kind::unreadable, fmt::format("one ulp of the sum shows in none of {} rows made for it", 4 * reading.tried));
    out.reading = reading;
    const Wider wider = ask_wider(p, reading, 16);
    out.probes += wider.probes;
    if (wider.wider()) {
        replay_wider(p, o.also, o, out);
        return done(Kind::wider, fmt::format("the sum keeps more bits than f32: 2^-28 of an ulp shows in {} of {} rows, so that its order does not", wider.more, wider.probes));
    }
    out.columns = columns_of(p.d(), o);
    std::vector<NamedTree> bank;
    auto found = find_tree(p, reading, out.columns, [&](std::span<const Answer> answers) {
        bank = named_trees(answers, out.columns, p.d());
        std::vector<Tree> trees;
        for (const NamedTree& n : bank) trees.push_back(n.tree);
        return trees;
    });
    out.probes += found.probes;
    out.multiway = found.multiway;
    out.example = triple_probe(reading, out.columns.back(), 0, 1).spots;
    if (!found.odd_columns.empty())
        return done(Kind::not_a_tree, fmt::format("columns {} do not enter the sum once, like the others", column_words(found.odd_columns)));
    if (found.strange)
        return done(Kind::not_a_tree, fmt::format("{} of {} answers are those of no tree of f32 additions", found.strange, found.probes));
    if (!p.error.empty()) return done(Kind::not_a_tree, p.error);
    out.tree = std::move(found.tree);
    out.words = order_words(out.tree);
    const bool all = static_cast<std::int64_t>(out.columns.size()) == p.d();
    const auto named = orders_of(out.tree, bank);
    out.kind = all ? Kind::tree : named.empty() ? Kind::sampled : Kind::regular;
    replay(p, forms, named, o, out);
    if (out.kind == Kind::regular) out.words = order_words(out.tree);
    return done(out.kind, "");
}

}  // namespace ulpgate
