#include "fuzz/codec/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "fuzz/codec/version1.hpp"
#include "properties/cases/values.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"
#include "reference/base/text.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {
namespace {

namespace v = version1;

template <class Table>
auto one_of(const Table& t, std::uint32_t k) {
    return t[k % t.size()];
}

// What the first bytes say of the contract and of a model of it.
struct Knobs {
    std::uint32_t type, form, extra, bound, order, how;
};

Contract contract_of(const Knobs& k) {
    Contract c = default_contract(one_of(v::types, k.type), one_of(v::maps, k.form));
    if (c.map == Map::f32_gain) c.assoc = one_of(v::assocs, k.form >> 2);
    if (k.form & 16) c.by = By::div;
    c.gain = one_of(v::gains, k.form >> 5);
    c.residual = one_of(v::residuals, k.extra);
    if (c.residual != Residual::none && k.extra & 8) c.res = Type::f32;
    if (k.extra & 16 && c.gain != Gain::none) {
        c.w = Type::f32;
        c.y = k.extra & 32 ? c.x : Type::f32;
    }
    if (k.extra & 64) c.acc = Accumulate::f64;
    c.rsqrt = one_of(v::rsqrts, k.bound);
    c.mean = one_of(v::means, k.bound >> 2);
    if (k.bound & 16) c.order = one_of(v::orders, k.order);
    return c;
}

// The text of the model that the knobs choose within the contract.
std::string model_text(Contract c, const Knobs& k) {
    if (c.map == Map::none) c.map = k.how & 8 ? Map::f32_gain : Map::cast_first;
    if (c.map == Map::f32_gain && c.assoc == Assoc::any) c.assoc = one_of(v::assocs, 1 + k.how / 16 % 3);
    if (c.order == "any") c.order = one_of(v::orders, k.order);
    if (c.mean == Mean::any) c.mean = k.how & 1 ? Mean::recip : Mean::div;
    std::string text = print(c);
    if (k.how & 2) text += ",fma";
    if (k.how & 4 && c.rsqrt >= 2 && c.by == By::mul) text += ",rsqrt_form=recip_sqrt";
    return text;
}

// The contract and its model as texts that both are read back from; the specification's where the knobs say what no model is.
FuzzCase shaped(const Knobs& k, std::span<const Claim> claims) {
    FuzzCase f;
    Model model;
    if (!claims.empty()) {
        f.input.claim = claims[(k.type + 3 * k.form) % claims.size()];
        f.model = model_text(f.input.claim[0], k);
        return f;
    }
    const Contract c = contract_of(k);
    f.model = model_text(c, k);
    if (!parse(f.model, model) && !parse(print(c), f.input.claim)) return f;
    f.input.claim = {default_contract(one_of(v::types, k.type), Map::cast_first)};
    f.model = print(f.input.claim[0]);
    return f;
}

Segment segment(ByteReader& r, Type t, std::int64_t d) {
    Segment s;
    s.start = r.word(2) % d;
    s.stride = std::int64_t{1} << r.byte() % 12;
    const std::int64_t fit = (d - 1 - s.start) / s.stride + 1;
    s.count = 1 + r.word(2) % fit;
    s.words = {r.word(bytes(t))};
    return s;
}

FuzzCase decode_bytes(std::span<const std::uint8_t> bytes, std::span<const Claim> claims) {
    ByteReader r(bytes);
    r.byte();  // the version: this reads 1, and what is not known
    const Knobs k{r.byte(), r.byte(), r.byte(), r.byte(), r.byte(), r.byte()};
    FuzzCase f = shaped(k, claims);
    Case& c = f.input;
    const Contract& contract = c.claim[0];
    const std::uint32_t width = r.byte(), exact = r.word(2);
    c.d = width < 240 ? one_of(v::widths, width) : 1 + exact % case_elements;
    c.tokens = 1 + r.byte() % std::min<std::int64_t>(6, case_elements / c.d);
    c.eps = one_of(v::epsilons, r.byte());
    const std::uint32_t layout = r.byte(), amount = r.byte();
    if (layout & 1) c.ld = c.d + 1 + amount % 16;
    if (layout & 2) c.yld = c.d + 1 + amount % 16;
    if (layout & 4) c.offset = amount / 16;
    c.op = one_of(v::ops, layout >> 3);
    const std::uint32_t gain = r.byte();
    const std::uint32_t content = r.byte();
    if (content & 1) {
        c.profile = one_of(v::profiles, content >> 1);
        if (!find_profile(c.profile)) c.profile = "gaussian";
        c.seed = r.word(4);
    } else {
        c.program = read_program(r, contract.x, c.d);
        if (contract.residual != Residual::none) c.residual_program = read_program(r, contract.res, c.d);
    }
    if (contract.gain == Gain::none || !(gain & 3)) return f;
    if (gain & 1) c.gain = one_of(v::gain_rules, gain >> 2);
    else c.w_program = read_program(r, contract.w, c.d);
    return f;
}

bool reads_as_text(std::span<const std::uint8_t> b) { return !b.empty() && ((b[0] >= ' ' && b[0] < 127) || b[0] == '\n'); }

// A case that a fuzzer may run: small, an RMSNorm, of no file.
bool fit(const Case& c) {
    const Op* op = find_op(c.op);
    return op && op->abi == Abi::rmsnorm && c.file.empty() && c.batch * c.tokens >= 1 && c.batch * c.tokens <= case_elements &&
           c.d * c.batch * c.tokens <= case_elements && c.ld <= 2 * case_elements && c.yld <= 2 * case_elements && c.offset <= 64 && misfit(c).what.empty();
}

class Writer {
  public:
    void byte(std::size_t v) { bytes.push_back(static_cast<std::uint8_t>(v)); }
    void word(std::uint64_t v, int n) {
        for (int k = 0; k < n; ++k) byte(v >> 8 * k & 255);
    }
    template <class Table, class Value>
    std::size_t index(const Table& t, const Value& value) {
        return static_cast<std::size_t>(std::find(t.begin(), t.end(), value) - t.begin()) % t.size();
    }
    void program(const Program& p, Type t) {
        byte(p.segments.size());
        word(p.fill.value_or(0), ulpgate::bytes(t));
        for (const Segment& s : p.segments) {
            word(static_cast<std::uint64_t>(s.start), 2);
            byte(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(s.stride)) - 1));
            word(static_cast<std::uint64_t>(s.count - 1), 2);
            word(s.words.empty() ? 0 : s.words[0], ulpgate::bytes(t));
        }
    }
    std::vector<std::uint8_t> bytes;
};

}  // namespace

Program read_program(ByteReader& r, Type t, std::int64_t d) {
    Program p;
    const std::uint32_t segments = r.byte() % 13;
    p.fill = r.word(bytes(t));
    for (std::uint32_t k = 0; k < segments && r.more(); ++k) p.segments.push_back(segment(r, t, d));
    return p;
}

FuzzCase decode_case(std::span<const std::uint8_t> bytes, std::span<const Claim> claims) {
    if (!reads_as_text(bytes) || !claims.empty()) return decode_bytes(bytes, claims);
    const auto c = read_hard_case({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    Model model;
    if (!c || !fit(*c)) return decode_bytes(bytes, claims);
    FuzzCase f{*c, model_text(c->claim[0], {})};
    if (parse(f.model, model)) return decode_bytes(bytes, claims);
    return f;
}

// Written without asking whether each choice exists: what reads back as the case is right, anything else is not encodable.
std::optional<std::vector<std::uint8_t>> encode_case(const Case& c) {
    const Contract& k = c.claim.at(0);
    Writer w;
    w.byte(codec_version);
    w.byte(w.index(v::types, k.x));
    w.byte(w.index(v::maps, k.map) | w.index(v::assocs, k.assoc) << 2 | (k.by == By::div ? 16 : 0) | w.index(v::gains, k.gain) << 5);
    const bool wide = k.w == Type::f32 && k.x != Type::f32;
    w.byte(w.index(v::residuals, k.residual) | (k.res == Type::f32 ? 8 : 0) | (wide ? 16 : 0) | (wide && k.y == k.x ? 32 : 0) |
           (k.acc == Accumulate::f64 ? 64 : 0));
    w.byte(w.index(v::rsqrts, k.rsqrt) | w.index(v::means, k.mean) << 2 | (k.order != "any" ? 16 : 0));
    w.byte(w.index(v::orders, k.order));
    w.byte(0);
    const bool usual = std::find(v::widths.begin(), v::widths.end(), c.d) != v::widths.end();
    w.byte(usual ? w.index(v::widths, c.d) : 255);
    w.word(static_cast<std::uint64_t>(c.d - 1), 2);
    w.byte(static_cast<std::size_t>(c.tokens - 1));
    w.byte(w.index(v::epsilons, c.eps));
    w.byte((c.ld ? 1 : 0) | (c.yld ? 2 : 0) | (c.offset ? 4 : 0) | w.index(v::ops, c.op) << 3);
    const std::int64_t apart = c.ld ? c.ld : c.yld;
    w.byte(static_cast<std::size_t>(apart ? apart - c.d - 1 : 0) % 16 + 16 * static_cast<std::size_t>(c.offset));
    w.byte(!c.gain.empty() ? 1 | w.index(v::gain_rules, c.gain) << 2 : c.w_program.fill ? 2 : 0);
    w.byte(c.profile.empty() ? 0 : 1 | w.index(v::profiles, c.profile) << 1);
    if (!c.profile.empty()) {
        w.word(c.seed, 4);
    } else {
        w.program(c.program, k.x);
        if (k.residual != Residual::none) w.program(c.residual_program, k.res);
    }
    if (c.gain.empty() && c.w_program.fill) w.program(c.w_program, k.w);
    Case plain = c;
    plain.h = 0;
    plain.row = -1;
    if (plain.program.fill && k.residual != Residual::none && !plain.residual_program.fill) plain.residual_program.fill = 0;
    return decode_bytes(w.bytes, {}).input == plain ? std::optional(w.bytes) : std::nullopt;
}

std::optional<Case> read_hard_case(std::string_view text) {
    std::optional<Case> found;
    for (auto line : split(text, '\n')) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (line.empty() || line[0] == '#') continue;
        const auto space = line.rfind(' ');
        Case c;
        if (found || parse(line.substr(space == line.npos ? 0 : space + 1), c)) return std::nullopt;
        found = std::move(c);
    }
    return found;
}

std::string hard_case_text(const Case& c, std::string_view provenance) {
    std::string s;
    for (const auto line : split(provenance, '\n')) s += fmt::format("# {}\n", line);
    return s + print(c) + "\n";
}

}  // namespace ulpgate
