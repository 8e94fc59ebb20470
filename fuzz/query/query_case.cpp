#include "fuzz/query/query_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/codec/codec.hpp"
#include "fuzz/codec/reader.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/maps/map.hpp"

namespace ulpgate {
namespace {

struct Shape {
    std::int64_t hidden, rank, heads, nope, rope;
};

// Of version 1. The first is the small shape of the gate, the last two have more than one block of 128 by 128 scales.
constexpr std::array types{Type::bf16, Type::fp16, Type::f32};
constexpr std::array maps{Map::cast_first, Map::f32_gain, Map::cast_first, Map::none};
constexpr std::array assocs{Assoc::any, Assoc::xr_w, Assoc::x_rw, Assoc::xw_r};
constexpr std::array weights{Type::none, Type::none, Type::f32, Type::e4m3, Type::bf16, Type::fp16, Type::none, Type::none};
constexpr std::array biases{Bias::none, Bias::before, Bias::after, Bias::none};
constexpr std::array<std::string_view, 8> orders{"sequential", "pairwise", "lanes", "lanes:16x1", "butterfly", "cuda_block", "aten_cascade", "masked"};
constexpr std::array means{Mean::any, Mean::div, Mean::recip, Mean::any};
constexpr std::array rsqrts{2, 0, 1, 4};
constexpr std::array<Shape, 8> shapes{{{64, 16, 2, 8, 4}, {33, 17, 3, 7, 3}, {1, 1, 1, 1, 1}, {64, 0, 2, 8, 4}, {8, 64, 1, 4, 4}, {128, 3, 2, 8, 4}, {200, 5, 2, 70, 8}, {130, 130, 1, 8, 4}}};
constexpr std::array<double, 8> epsilons{1e-6, 0, 1e-5, 0x1p-20, 0x1p-149, 1e-12, 0.5, 0x1p-126};
constexpr std::array<std::string_view, 8> profiles{"random", "integers", "onehot", "massive", "cancel", "random", "integers", "massive"};
constexpr std::size_t most_words = 12;

template <class Table>
auto one_of(const Table& t, std::uint32_t k) {
    return t[k % t.size()];
}

struct Knobs {
    std::uint32_t type, form, extra, a_order, b_order, norm, how;
};

Contract contract_of(const Knobs& k) {
    Contract c = default_contract(one_of(types, k.type), one_of(maps, k.form));
    if (c.map == Map::f32_gain) c.assoc = one_of(assocs, k.form >> 2);
    c.weights = one_of(weights, k.form >> 4);
    if (c.weights == c.x) c.weights = Type::none;
    c.bias = one_of(biases, k.extra);
    if (k.extra & 4) c.taps = Emit::out;
    if (k.extra & 8) c.latent = Latent::f32;
    if (k.extra & 16) c.a_part = Accumulate::t;
    if (k.extra & 32) c.b_part = Accumulate::t;
    if (k.a_order & 8) c.a_order = one_of(orders, k.a_order);
    if (k.b_order & 8) c.b_order = one_of(orders, k.b_order);
    c.rsqrt = one_of(rsqrts, k.norm);
    c.mean = one_of(means, k.norm >> 2);
    if (k.norm & 16) c.order = one_of(orders, k.norm >> 5);
    return c;
}

// One way to compute what the contract allows.
QueryModel model_of(Contract c, const Knobs& k) {
    if (c.map == Map::none) c.map = k.how & 4 ? Map::f32_gain : Map::cast_first;
    if (c.map == Map::f32_gain && c.assoc == Assoc::any) c.assoc = one_of(assocs, 1 + k.how / 16 % 3);
    if (c.a_order == "any") c.a_order = one_of(orders, k.a_order);
    if (c.b_order == "any") c.b_order = one_of(orders, k.b_order);
    if (c.order == "any") c.order = one_of(orders, k.norm >> 5);
    if (c.mean == Mean::any) c.mean = k.how & 1 ? Mean::recip : Mean::div;
    QueryModel m{c, {}, ""};
    if (c.a_part == Accumulate::t && c.b_part == Accumulate::t) m.pieces.splits = k.how & 2 ? 2 : 1;
    return m;
}

bool head_claims(const Knobs& k) { return (k.extra & 192) == 192; }

void shape(QueryFuzzCase& f, const Shape& s, bool head, std::uint32_t rows) {
    Case& c = f.input;
    c.op = head ? "head" : "mla_query";
    c.d = s.hidden;
    if (head) {
        c.out = s.heads * (s.nope + s.rope);
    } else {
        c.rank = s.rank;
        c.heads = s.heads;
        c.nope = s.nope;
        c.rope = s.rope;
    }
    c.batch = 1 + rows % 2;
    c.tokens = rows / 2 % 4;
    if (rows & 8) c.ld = c.d + 1 + rows / 16;
}

// What a word may stand in: the inputs by name, chosen by number.
std::vector<const Tensor*> inputs_of(const Tensors& t) {
    std::vector<const Tensor*> out;
    for (const Tensor& v : t.all)
        if (v.spec->input() && v.count()) out.push_back(&v);
    return out;
}

bool as_text(std::string_view text, QueryFuzzCase& f) {
    const auto c = read_hard_case(text);
    if (!c) return false;
    const Op* op = find_op(c->op);
    if (!op || op->abi == Abi::rmsnorm || c->batch * c->tokens > 8 || c->d > 256 || c->offset > 64 || c->ld > 1024 || c->claim.size() != 1 || !misfit(*c).what.empty()) return false;
    const bool head = op->abi == Abi::linear;
    if (head ? c->out < 1 || c->out > 512 : c->rank < 0 || c->rank > 256 || c->heads < 1 || c->heads > 8 || c->nope < 1 || c->nope > 128 || c->rope < 1 || c->rope > 128) return false;
    f.input = *c;
    f.model = model_of(c->claim[0], {});
    return true;
}

}  // namespace

QueryFuzzCase decode_query_case(std::span<const std::uint8_t> bytes, std::span<const Claim> claims) {
    QueryFuzzCase f;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (claims.empty() && !text.empty() && ((text[0] >= ' ' && text[0] < 127) || text[0] == '\n') && as_text(text, f)) return f;
    ByteReader r(bytes);
    r.byte();  // the version: this reads 1, and what is not known
    const Knobs k{r.byte(), r.byte(), r.byte(), r.byte(), r.byte(), r.byte(), r.byte()};
    const Shape s = one_of(shapes, r.byte());
    f.input.eps = one_of(epsilons, r.byte());
    const std::uint32_t rows = r.byte(), profile = r.byte();
    Claim claim{contract_of(k)};
    if (!claims.empty()) claim = claims[(k.type + 3 * k.form) % claims.size()];
    else if (Claim again; parse(print(claim[0]), again)) claim = {default_contract(one_of(types, k.type), Map::cast_first)};
    f.input.claim = claim;
    f.model = model_of(claim[0], k);
    shape(f, s, claims.empty() && head_claims(k), rows);
    if (claim[0].bias != Bias::none && f.input.rank == 0) f.input.rank = 16;  // a bias is the first projection's
    f.input.profile = one_of(profiles, profile);
    f.input.seed = r.word(4);
    if (!r.more()) return f;
    const Made made = ulpgate::make(f.input);
    const auto inputs = inputs_of(made.tensors);
    while (r.more() && f.words.size() < most_words && !inputs.empty()) {
        const Tensor& t = *inputs[r.byte() % inputs.size()];
        const std::int64_t element = static_cast<std::int64_t>(r.word(2)) % t.count();
        f.words.push_back({std::string(t.spec->name), element, r.word(ulpgate::bytes(t.type))});
    }
    return f;
}

Made QueryFuzzCase::make() const {
    Made m = ulpgate::make(input);
    for (const auto& w : words)
        if (Tensor* t = m.tensors.find(w.tensor)) t->set_word(t->at(w.element), w.word);
    return m;
}

std::string QueryFuzzCase::text() const {
    std::string s = print(input);
    for (std::size_t k = 0; k < words.size(); ++k) s += fmt::format("{}{}[{}] = {:x}", k ? ", " : " with ", words[k].tensor, words[k].element, words[k].word);
    return s;
}

}  // namespace ulpgate
