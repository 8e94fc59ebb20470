#include "properties/explain_query/gemm_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "properties/order/named.hpp"
#include "properties/order/recover.hpp"
#include "properties/order/words.hpp"
#include "reference/tensor_core/sum.hpp"

namespace ulpgate {
namespace {

// Their ratio is beyond f32's 24 bits and a tensor core's 25, and both are normal in every type.
constexpr float large = 0x1p15f, unit = 0x1p-14f;

std::size_t index_of(const Tensors& t, std::string_view name) {
    for (std::size_t k = 0; k < t.all.size(); ++k)
        if (t.all[k].spec->name == name) return k;
    return t.all.size();
}

void fill(Tensors& t, std::string_view name, float v) {
    Tensor* x = t.find(name);
    if (!x || !x->count()) return;
    std::vector<float> row(static_cast<std::size_t>(x->width()), v);
    for (std::int64_t i = 0; i < x->rows(); ++i) x->write_row(i, row);
}

struct Place {  // where the sum of a row of the matrix is read: an element of an output
    std::int64_t row;
    std::size_t tensor;
    std::int64_t at;
};

class MaskAsker final : public TripleAsker {
  public:
    MaskAsker(Subject& s, std::size_t entry, Tensors t, std::string_view matrix, std::vector<Place> places)
        : subject_(s), entry_(entry), t_(std::move(t)), matrix_(index_of(t_, matrix)), places_(std::move(places)) {}
    bool failed() const override { return !error.empty(); }
    std::string error;
    std::int64_t calls = 0, always = 0, asked = 0;  // always: triples whose every role answers with the unit

    std::vector<int> last(std::span<const Three> triples, bool) override {
        std::vector<Mask> masks;
        for (const Three& c : triples)
            for (std::size_t role = 0; role < 3; ++role) masks.push_back({{c[role], unit}, {c[(role + 1) % 3], large}, {c[(role + 2) % 3], -large}});
        const auto y = ask(masks);
        std::vector<int> out;
        for (std::size_t k = 0; k + 2 < y.size(); k += 3) {
            const int sum = y[k] + y[k + 1] + y[k + 2];
            ++asked;
            always += sum == 3;
            out.push_back(sum == 0 ? 3 : sum == 1 ? static_cast<int>(std::max_element(&y[k], &y[k] + 3) - &y[k]) : -1);
        }
        return out;
    }

    std::vector<int> odd(std::span<const int> columns) override {
        std::vector<Mask> masks;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            masks.push_back({{columns[k], unit}});
            masks.push_back({{columns[k], large}, {columns[(k + 1) % columns.size()], -large}});
        }
        const auto y = ask(masks);
        std::vector<int> out;
        for (std::size_t k = 0; k < y.size(); k += 2)
            if (!y[k] || y[k + 1]) out.push_back(columns[k / 2]);
        return out;
    }

  private:
    using Mask = std::vector<Spot>;
    // 1: not zero.
    std::vector<int> ask(const std::vector<Mask>& masks) {
        probes += static_cast<std::int64_t>(masks.size());
        std::vector<int> out;
        Tensor& w = t_.all[matrix_];
        const auto put = [&](std::size_t from, std::size_t n, bool on) {
            for (std::size_t k = 0; k < n; ++k)
                for (const Spot& s : masks[from + k]) w.set_word(w.row_at(places_[k].row) + s.column, on ? encode(w.type, s.value) : 0);
        };
        for (std::size_t from = 0; from < masks.size(); from += places_.size()) {
            const std::size_t n = std::min(places_.size(), masks.size() - from);
            put(from, n, true);
            const Outcome o = subject_.run(entry_, t_);
            put(from, n, false);
            ++calls;
            if (o.event != Event::ok) {
                error = o.what.empty() ? "the kernel did not answer" : o.what;
                return {};
            }
            for (std::size_t k = 0; k < n; ++k) {
                const Tensor& y = t_.all[places_[k].tensor];
                std::uint32_t word = 0;
                std::memcpy(&word, o.out[places_[k].tensor].data() + places_[k].at * bytes(y.type), static_cast<std::size_t>(bytes(y.type)));
                out.push_back(decode(y.type, word) != 0);
            }
        }
        return out;
    }

    Subject& subject_;
    std::size_t entry_;
    Tensors t_;
    std::size_t matrix_;
    std::vector<Place> places_;
};

// Outputs of the one token that show a row of the last matrix as it is.
std::vector<Place> places_of(const Tensors& t) {
    std::vector<Place> out;
    if (t.op->abi == Abi::linear) {
        for (std::int64_t o = 0; o < t.sizes[Dim::b_out]; ++o) out.push_back({o, index_of(t, "y"), o});
        return out;
    }
    const std::int64_t H = t.sizes[Dim::heads], N = t.sizes[Dim::nope], R = t.sizes[Dim::rope], C = t.sizes[Dim::kv_rank];
    const std::size_t absorbed = index_of(t, "q_absorbed"), nope = index_of(t, "q_nope");
    const bool absorbs = absorbed < t.all.size();
    for (std::int64_t h = 0; h < H; ++h)
        for (std::int64_t j = 0; j < (absorbs ? std::min(N, C) : N); ++j) out.push_back({h * (N + R) + j, absorbs ? absorbed : nope, absorbs ? h * (C + R) + j : h * N + j});
    return out;
}

// Everything that lets a sum through as it is: a token and gains of ones, no bias, no angle, w_kc the identity.
Tensors transparent(const Op& op, const Contract& c, Sizes s) {
    s[Dim::batch] = s[Dim::tokens] = 1;
    if (s[Dim::places] == 0) s[Dim::places] = 1;
    if (c.kv == Kv::fused) s[Dim::kv_out] = s[Dim::kv_rank] + s[Dim::rope];
    op.derive(s);
    Tensors t = lay_out(op, c, s);
    t.eps = 1e-6;
    t.config_eps = 1e-6;
    for (const char* name : {"h", "x", "q_gain", "kv_gain"}) fill(t, name, 1);
    if (Tensor* k = t.find("k_c"))
        for (std::int64_t h = 0; h < s[Dim::heads]; ++h)
            for (std::int64_t j = 0; j < std::min(s[Dim::nope], s[Dim::kv_rank]); ++j) k->set_word((h * s[Dim::kv_rank] + j) * s[Dim::nope] + j, encode(k->type, 1.0f));
    return t;
}

std::vector<int> columns_of(std::int64_t n, int most) {
    std::set<int> some;
    for (int k = 0; k < (n <= most ? n : most / 3); ++k) {
        some.insert(k);
        some.insert(static_cast<int>(n) - 1 - k);
        some.insert(std::min(static_cast<int>(n) / 2 + k, static_cast<int>(n) - 1));
    }
    return {some.begin(), some.end()};
}

GemmOrder tell(const char* stage, MaskAsker asker, std::int64_t n, int most) {
    GemmOrder out;
    out.stage = stage;
    out.columns = n;
    const auto columns = columns_of(n, most);
    out.asked = static_cast<std::int64_t>(columns.size());
    if (n < 3) return out.words = "fewer than three columns", out;
    TreeFinding found = find_tree(asker, columns);
    out.probes = found.probes;
    out.calls = asker.calls;
    if (asker.failed()) out.words = "not told: " + asker.error;
    else if (!found.odd_columns.empty()) out.words = fmt::format("not a sum of all columns: {} do not enter once", column_words(found.odd_columns));
    else if (asker.asked && asker.always == asker.asked) out.words = "the sum keeps more bits than f32: its order does not show";
    else if (found.strange) out.words = fmt::format("not a tree: {} answers are those of no tree of f32 additions", found.strange);
    else {
        out.tree = std::move(found.tree);
        out.words = group_words(out.tree, out.group);
        if (out.words.empty()) out.words = order_words(out.tree);
        for (const OrderChoice& o : named_orders(out.tree, columns, n)) out.names.push_back(o.text());
    }
    return out;
}

}  // namespace

std::vector<QueryModel> sum_models(const Contract& c, const std::vector<GemmOrder>& orders) {
    std::vector<QueryModel> out;
    const GemmOrder *a = nullptr, *b = nullptr;
    for (const GemmOrder& o : orders) (o.stage == "q_a_proj" ? a : b) = &o;
    const auto names = [](const GemmOrder* o) {
        std::vector<std::string> n;
        if (o && o->group)
            for (const int bits : {24, 25}) n.push_back(TensorCoreSum{o->group, bits, 1, 0}.text());
        else if (o)
            n.assign(o->names.begin(), o->names.begin() + std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(o->names.size())));
        return n.empty() ? std::vector<std::string>{"any"} : n;
    };
    for (const auto& first : names(a))
        for (const auto& second : names(b)) {
            QueryModel m{c, {}, ""};
            m.contract.a_order = first;
            m.contract.b_order = second;
            if (why_no_sum(m.contract).empty()) out.push_back(m);
        }
    return out;
}

std::string group_words(const Tree& t, int& group) {
    if (t.root == Tree::none || t.binary()) return "";
    std::size_t largest = 0;
    int k = t.root, before = INT32_MAX;
    while (!t.is_leaf(k)) {
        int inner = -1, least = INT32_MAX, most = -1;
        std::size_t leaves = 0;
        for (const int p : t.parts(k)) {
            if (!t.is_leaf(p)) {
                if (inner >= 0) return "";
                inner = p;
                continue;
            }
            least = std::min(least, t.node(p).column);
            most = std::max(most, t.node(p).column);
            ++leaves;
        }
        if (most >= before) return "";
        before = least;
        largest = std::max(largest, leaves);
        if (inner < 0) break;
        k = inner;
    }
    group = static_cast<int>(largest);
    return fmt::format("groups of {} columns, each added to the sum so far in one step, in the order of the columns", largest);
}

std::vector<GemmOrder> gemm_orders(Subject& s, std::size_t entry, const Op& op, const Contract& c, const Sizes& sizes, int most) {
    std::vector<GemmOrder> out;
    const bool head = op.abi == Abi::linear;
    if (c.weights == Type::e4m3) {
        for (const char* stage : {"q_a_proj", "q_b_proj"})
            if (!head || stage[2] == 'b') out.push_back({head ? "head" : stage, 0, 0, 0, 0, {}, "not asked: codes of e4m3 span fewer than the 25 bits that a mask needs", {}, 0});
        return out;
    }
    Tensors t = transparent(op, c, sizes);
    const auto places = places_of(t);
    const std::int64_t rank = t.sizes[Dim::q_rank];
    if (head) return out.push_back(tell("head", {s, entry, t, "w", places}, t.sizes[Dim::hidden], most)), out;
    if (rank) {  // a latent a place: q_b hands it on alone
        Tensors first = t;
        Tensor& b = *first.find("q_b");
        std::vector<Place> latents;
        for (std::int64_t k = 0; k < std::min(rank, static_cast<std::int64_t>(places.size())); ++k) {
            const Place& p = places[static_cast<std::size_t>(k)];
            b.set_word(b.row_at(p.row) + k, encode(b.type, 1.0f));
            latents.push_back({k, p.tensor, p.at});
        }
        out.push_back(tell("q_a_proj", {s, entry, std::move(first), "a", latents}, t.sizes[Dim::hidden], most));
        Tensor& a = *t.find("a");  // every latent is one
        for (std::int64_t k = 0; k < rank; ++k) a.set_word(a.row_at(k), encode(a.type, 1.0f));
    }
    out.push_back(tell("q_b_proj", {s, entry, t, "q_b", places}, t.sizes[Dim::b_in], most));
    return out;
}

}  // namespace ulpgate
