#include "reference/contract/contract.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "reference/orders/order.hpp"
#include "reference/tensor_core/sum.hpp"

namespace ulpgate {
namespace {

template <class E, std::size_t N>
using Names = std::array<std::pair<std::string_view, E>, N>;

constexpr Names<Type, 3> type_names{{{"bf16", Type::bf16}, {"fp16", Type::fp16}, {"f32", Type::f32}}};
constexpr Names<Map, 2> map_names{{{"cast_first", Map::cast_first}, {"f32_gain", Map::f32_gain}}};
constexpr Names<Assoc, 4> assoc_names{
    {{"any", Assoc::any}, {"xr_w", Assoc::xr_w}, {"x_rw", Assoc::x_rw}, {"xw_r", Assoc::xw_r}}};
constexpr Names<By, 2> by_names{{{"mul", By::mul}, {"div", By::div}}};
constexpr Names<Gain, 4> gain_names{
    {{"given", Gain::given}, {"none", Gain::none}, {"one_plus", Gain::one_plus}, {"one_plus_t", Gain::one_plus_t}}};
constexpr Names<Given, 2> given_names{{{"none", Given::none}, {"given", Given::given}}};
constexpr Names<Emit, 2> emit_names{{{"none", Emit::none}, {"out", Emit::out}}};
constexpr Names<Residual, 5> residual_names{{{"none", Residual::none},
                                             {"rounded", Residual::rounded},
                                             {"unrounded", Residual::unrounded},
                                             {"var_unrounded", Residual::var_unrounded},
                                             {"norm_unrounded", Residual::norm_unrounded}}};
constexpr Names<Quant, 3> quant_names{{{"none", Quant::none}, {"e4m3", Quant::e4m3}, {"i8", Quant::i8}}};
constexpr Names<QuantFrom, 2> qfrom_names{{{"t", QuantFrom::t}, {"f32", QuantFrom::f32}}};
constexpr Names<QuantBy, 2> qby_names{{{"recip", QuantBy::recip}, {"div", QuantBy::div}}};
constexpr Names<QuantOver, 3> qover_names{
    {{"sat", QuantOver::sat}, {"sat_nan", QuantOver::sat_nan}, {"nan", QuantOver::nan}}};
constexpr Names<Stat, 2> stat_names{{{"ms", Stat::ms}, {"mean_m2", Stat::mean_m2}}};
constexpr Names<Accumulate, 3> accumulate_names{
    {{"f32", Accumulate::f32}, {"f64", Accumulate::f64}, {"t", Accumulate::t}}};
constexpr Names<Mean, 3> mean_names{{{"any", Mean::any}, {"div", Mean::div}, {"recip", Mean::recip}}};
constexpr Names<InPlace, 3> inplace_names{{{"never", InPlace::never}, {"may", InPlace::may}, {"must", InPlace::must}}};
constexpr Names<Bias, 3> bias_names{{{"none", Bias::none}, {"before", Bias::before}, {"after", Bias::after}}};
constexpr Names<Accumulate, 2> part_names{{{"f32", Accumulate::f32}, {"t", Accumulate::t}}};
constexpr Names<Latent, 2> latent_names{{{"t", Latent::t}, {"f32", Latent::f32}}};
constexpr Names<Kv, 2> kv_names{{{"none", Kv::none}, {"fused", Kv::fused}}};
constexpr Names<Absorb, 2> absorb_names{{{"no", Absorb::no}, {"yes", Absorb::yes}}};
constexpr Names<Rope, 4> rope_names{{{"none", Rope::none}, {"one_cast", Rope::one_cast}, {"three", Rope::three}, {"table_f32", Rope::table_f32}}};
constexpr Names<Logits, 2> logits_names{{{"t_then_f32", Logits::t_then_f32}, {"f32", Logits::f32}}};
constexpr Names<Type, 5> weight_names{{{"x", Type::none}, {"bf16", Type::bf16}, {"fp16", Type::fp16}, {"f32", Type::f32}, {"e4m3:128x128", Type::e4m3}}};
constexpr std::array<std::string_view, 3> ftz_stages{"x", "sum", "y"};
constexpr std::array<std::string_view, 4> invariances{"rerun", "batch", "align", "stride"};
constexpr int rsqrt_max = 1 << 20;  // the set's slack 2 k u stays below 1/8

// One field: how it reads, prints and is explained. set returns false on a value that it does not take.
struct Field {
    std::string_view key;
    bool positional;  // written as its bare value
    std::string values;
    std::string default_value;
    std::string consequence;
    bool (*set)(Contract&, std::string_view);
    std::string (*get)(const Contract&);
};

template <auto Member, const auto& Table>
Field choice(std::string_view key, std::string default_value, std::string consequence, bool positional = false) {
    Field f{key, positional, "", std::move(default_value), std::move(consequence), nullptr, nullptr};
    for (const auto& [text, value] : Table) f.values += (f.values.empty() ? "" : ", ") + std::string(text);
    f.set = [](Contract& c, std::string_view s) {
        for (const auto& [text, value] : Table)
            if (text == s) return c.*Member = value, true;
        return false;
    };
    f.get = [](const Contract& c) -> std::string {
        for (const auto& [text, value] : Table)
            if (value == c.*Member) return std::string(text);
        return "";
    };
    return f;
}

template <auto Member, auto Low, auto High>
Field integer(std::string_view key, std::string values, std::string default_value, std::string consequence) {
    return {key,
            false,
            std::move(values),
            std::move(default_value),
            std::move(consequence),
            [](Contract& c, std::string_view s) {
                auto v = c.*Member;
                if (!parse_integer(s, v) || v < Low || v > High) return false;
                return c.*Member = v, true;
            },
            [](const Contract& c) { return std::to_string(c.*Member); }};
}

// Any of the words joined by '.', or none; kept in the table's order.
template <auto Member, const auto& Words>
Field subset(std::string_view key, std::string default_value, std::string consequence) {
    Field f{key, false, "none, or any of ", std::move(default_value), std::move(consequence), nullptr, nullptr};
    for (std::size_t i = 0; i < Words.size(); ++i) f.values += (i ? "." : "") + std::string(Words[i]);
    f.set = [](Contract& c, std::string_view s) {
        std::string out;
        const auto given = split(s, '.');
        std::size_t found = 0;
        for (const auto word : Words) {
            const auto n = static_cast<std::size_t>(std::count(given.begin(), given.end(), word));
            if (n > 1) return false;
            if (n == 1) out += (out.empty() ? "" : ".") + std::string(word);
            found += n;
        }
        if (s == "none")
            out = "none";
        else if (found != given.size())
            return false;
        return c.*Member = out, true;
    };
    f.get = [](const Contract& c) { return c.*Member; };
    return f;
}

template <auto Member>
bool set_order(Contract& c, std::string_view s) {
    if (s == "any") return c.*Member = "any", true;
    const auto o = find_order(s);
    return o && (c.*Member = o->text(), true);
}

// Of a projection: a tensor core's sum too.
template <auto Member>
bool set_sum(Contract& c, std::string_view s) {
    if (const auto core = find_tensor_core_sum(s)) return c.*Member = core->text(), true;
    return set_order<Member>(c, s);
}

std::string order_values() {
    std::string s = "any";
    for (const Order* o : orders::all()) {
        s += ", " + std::string(o->name);
        if (!o->params.empty()) s += ":" + std::string(o->params);
    }
    return s;
}

bool set_qscale(Contract& c, std::string_view s) {
    std::int64_t n = 0;
    const bool group = s.starts_with("group:") && parse_integer(s.substr(6), n) && n >= 1;
    if (!group && s != "given" && s != "token") return false;
    return c.qscale = group ? "group:" + std::to_string(n) : std::string(s), true;
}

// Every field once, in the order of printing.
const std::vector<Field>& fields() {
    static const std::vector<Field> table{
        choice<&Contract::x, type_names>("TYPE", "none: always given", "the type T of x, and of the cast", true),
        choice<&Contract::map, map_names>("MAP", "left out: no claim, gate infers one",
                                          "where T rounds: T(x*r) before the gain, or once at the end", true),
        choice<&Contract::w, type_names>("w", "TYPE", "type of the gain"),
        choice<&Contract::y, type_names>("y", "what TYPE and w promote to", "type of the output"),
        choice<&Contract::res, type_names>("res", "TYPE", "type of the residual"),
        choice<&Contract::assoc, assoc_names>(
            "assoc", "any", "order of the f32 products; any: one of three for the whole run, so a change of it passes"),
        choice<&Contract::by, by_names>("by", "mul", "x*(1/rms), or x/rms"),
        choice<&Contract::gain, gain_names>("gain", "given",
                                            "none: no gain; one_plus: 1+w in f32; one_plus_t: 1+w rounded to T"),
        choice<&Contract::beta, given_names>("beta", "none", "a bias is added after the gain"),
        choice<&Contract::rstd, emit_names>("rstd", "none", "the reciprocal rms is an output too"),
        choice<&Contract::residual, residual_names>(
            "residual", "none", "what the statistic and the map see of x+residual: the rounded or the unrounded sum"),
        choice<&Contract::quant, quant_names>("quant", "none", "the output is quantised"),
        {"qscale", false, "given, token, group:N", "given", "where the scale comes from", set_qscale,
         [](const Contract& c) { return c.qscale; }},
        choice<&Contract::qfrom, qfrom_names>("qfrom", "t", "quantised from the rounded y, or from f32"),
        choice<&Contract::qby, qby_names>("qby", "recip", "times fl(1/scale), or divided by the scale"),
        choice<&Contract::qover, qover_names>("qover", "sat", "beyond the range: the largest value, or NaN"),
        subset<&Contract::ftz, ftz_stages>(
            "ftz", "none", "stages that may flush subnormals: widens the set near 2^-126, hides a flush"),
        choice<&Contract::stat, stat_names>("stat", "ms", "mean square, or mean and M2 (no proven slack: unsupported)"),
        integer<&Contract::stat_width, std::int64_t{1}, std::int64_t{1} << 40>(
            "stat_width", "an integer of at least 1", "d", "columns that the mean square is taken over"),
        choice<&Contract::sq, accumulate_names>("sq", "f32", "type of the squares; t has no proven slack: unsupported"),
        choice<&Contract::acc, accumulate_names>("acc", "f32", "type of the sum; t has no proven slack: unsupported"),
        {"order", false, order_values(), "any",
         "a named order bounds the sum by its height; any: by the data, so a change of order passes", set_order<&Contract::order>,
         [](const Contract& c) { return c.order; }},
        choice<&Contract::mean, mean_names>("mean", "any", "S/d, or S*fl(1/d); any: one more rounding of slack"),
        integer<&Contract::rsqrt, 0, rsqrt_max>("rsqrt", "an integer 0 to 1048576 (ulp32; 0: correctly rounded)", "2",
                                                "error of the reciprocal root: r off by as much passes"),
        choice<&Contract::inplace, inplace_names>("inplace", "never", "whether y may, or must, be x's memory"),
        choice<&Contract::weights, weight_names>("weights", "x", "type of the matrices; e4m3: f32 scales per 128 x 128 block, dequantised exactly or in f32"),
        choice<&Contract::bias, bias_names>("bias", "none", "q_a_proj has a bias: added before the one rounding to T, or after it"),
        {"a.order", false, order_values() + ", " + std::string(tensor_core_sum_values), "any",
         "of q_a_proj's sums, as order; mma: groups of columns that a tensor core adds at once, cut off below its fraction bits", set_sum<&Contract::a_order>,
         [](const Contract& c) { return c.a_order; }},
        {"b.order", false, order_values() + ", " + std::string(tensor_core_sum_values), "any", "of q_b_proj's sums (or the head's), as a.order", set_sum<&Contract::b_order>,
         [](const Contract& c) { return c.b_order; }},
        choice<&Contract::a_part, part_names>("a.part", "f32", "partial sums of q_a_proj: t lets each of them lose half an ulp of T"),
        choice<&Contract::b_part, part_names>("b.part", "f32", "the same of q_b_proj, of the head and of the absorption"),
        choice<&Contract::latent, latent_names>("latent", "t", "q_a is rounded to T before its norm, or kept in f32"),
        choice<&Contract::logits, logits_names>("logits", "t_then_f32", "T(dot) widened to f32, or the f32 sum"),
        choice<&Contract::kv, kv_names>("kv", "none", "fused: q_a_proj and kv_a_proj_with_mqa are one matrix; its kv slice is normalised too"),
        choice<&Contract::absorb, absorb_names>("absorb", "no", "yes: q_nope is multiplied by w_kc, one more rounding"),
        choice<&Contract::rope, rope_names>("rope", "none", "q_pe and k_pe are rotated: one cast from f32; three roundings to T; a table of T in f32 arithmetic"),
        choice<&Contract::taps, emit_names>("taps", "none", "q_a, its norm and q_b come out too: without them stages hide each other"),
        subset<&Contract::holds, invariances>("holds", "rerun",
                                              "invariances claimed: a change of bits is a failure, else a finding"),
    };
    return table;
}

const Field* find_field(std::string_view key) {
    for (const Field& f : fields())
        if (!f.positional && f.key == key) return &f;
    return nullptr;
}

Type promote(Type x, Type w) {
    if (x == w || w == Type::none) return x;
    return bytes(x) == bytes(w) ? Type::f32 : bytes(w) > bytes(x) ? w : x;
}

// Fills the types that follow from others.
void complete(Contract& c) {
    if (c.w == Type::none) c.w = c.x;
    if (c.y == Type::none) c.y = promote(c.x, c.w);
    if (c.res == Type::none) c.res = c.x;
    if (c.weights == c.x) c.weights = Type::none;
}

// Compared up to ':': what follows are parameters.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    std::vector<std::string> heads;
    for (const auto& c : candidates) heads.push_back(c.substr(0, c.find(':')));
    const std::string n = nearest(word.substr(0, word.find(':')), heads);
    const auto at = std::find(heads.begin(), heads.end(), n);
    return at == heads.end()
               ? ""
               : fmt::format("; did you mean '{}'?", candidates[static_cast<std::size_t>(at - heads.begin())]);
}

std::vector<std::string> words_of(std::string_view values) {
    std::vector<std::string> out;
    for (auto w : split(values, ',')) {
        w.remove_prefix(std::min(w.find_first_not_of(' '), w.size()));
        out.emplace_back(w);
    }
    return out;
}

constexpr std::string_view grammar = "TYPE[,MAP][,key=value]..., as in bf16,cast_first";

// A type or a map.
std::optional<ParseError> positional(std::string_view token, std::size_t at, bool first, Contract& c) {
    const Field &type = fields()[0], &map = fields()[1];
    const bool named = c.map != Map::none;
    if (Contract probe; type.set(probe, token)) {
        if (!first) return ParseError{at, fmt::format("the type '{}' must come first: {}", token, grammar)};
        return c.x = probe.x, std::nullopt;
    }
    if (map.set(c, token)) {
        if (named) return ParseError{at, fmt::format("a second map '{}': a set is written with '+'", token)};
        return {};
    }
    if (token.empty()) return ParseError{at, fmt::format("nothing stands here: {}", grammar)};
    if (const Field* f = find_field(token))
        return ParseError{at, fmt::format("'{0}' needs a value: {0}= {1}", token, f->values)};
    auto candidates = words_of(type.values + ", " + map.values);
    for (const Field& f : fields())
        if (!f.positional) candidates.push_back(std::string(f.key) + "=");
    return ParseError{at, fmt::format("'{}' is not a type ({}), a map ({}) or key=value{}", token, type.values,
                                      map.values, did_you_mean(token, candidates))};
}

std::optional<ParseError> keyed(std::string_view token, std::size_t at, Contract& c,
                                std::vector<std::string_view>& seen) {
    const auto eq = token.find('=');
    const auto key = token.substr(0, eq), value = token.substr(eq + 1);
    const Field* f = find_field(key);
    if (!f) {
        std::vector<std::string> keys;
        for (const Field& k : fields())
            if (!k.positional) keys.emplace_back(k.key);
        return ParseError{at, fmt::format("no field '{}'{}", key, keys.empty() ? "" : did_you_mean(key, keys)) +
                                  fmt::format(" ({})", fmt::join(keys, " "))};
    }
    if (std::count(seen.begin(), seen.end(), key)) return ParseError{at, fmt::format("'{}' is given twice", key)};
    seen.push_back(key);
    if (!f->set(c, value))
        return ParseError{at + eq + 1, fmt::format("'{}' is not a value of {}: {}{}", value, key, f->values,
                                                   did_you_mean(value, words_of(f->values)))};
    return {};
}

// What one field says only beside another.
std::string inconsistent(const Contract& c, const std::vector<std::string_view>& seen) {
    const auto given = [&](std::string_view k) { return std::count(seen.begin(), seen.end(), k) > 0; };
    if (given("assoc") && c.map != Map::f32_gain) return "assoc is a choice of the map f32_gain only";
    if (given("w") && c.gain == Gain::none) return "gain=none has no gain: leave w out";
    if (given("res") && c.residual == Residual::none) return "res is the type of a residual: say residual=... too";
    for (const auto k : {"qscale", "qfrom", "qby", "qover"})
        if (given(k) && c.quant == Quant::none) return fmt::format("{} needs quant=e4m3 or quant=i8", k);
    return "";
}

std::optional<ParseError> parse_member(std::string_view text, std::size_t at, Type inherited, Contract& c) {
    std::vector<std::string_view> seen;
    std::size_t p = 0;
    for (const auto token : split(text, ',')) {
        const auto bad =
            token.find('=') == token.npos ? positional(token, at + p, p == 0, c) : keyed(token, at + p, c, seen);
        if (bad) return bad;
        p += token.size() + 1;
    }
    if (c.x == Type::none) c.x = inherited;
    if (c.x == Type::none) return ParseError{at, fmt::format("no type ({}): {}", fields()[0].values, grammar)};
    complete(c);
    if (const auto what = inconsistent(c, seen); !what.empty()) return ParseError{at, what};
    return {};
}

// The members of a set judge the same tensors.
std::string unlike(const Contract& a, const Contract& b) {
    for (const std::string_view k : {"TYPE", "w", "y", "res", "weights", "kv", "absorb", "rope", "taps"})
        for (const Field& f : fields())
            if (f.key == k && f.get(a) != f.get(b))
                return fmt::format("the members of a set share their tensors: {} is {} here, {} in the first", k,
                                   f.get(b), f.get(a));
    if ((a.gain == Gain::none) != (b.gain == Gain::none) ||
        (a.residual == Residual::none) != (b.residual == Residual::none))
        return "the members of a set share their tensors: gain and residual are in all of them or in none";
    if (a.map == Map::none || b.map == Map::none) return "each member of a set names its map: cast_first, f32_gain";
    return "";
}

}  // namespace

std::optional<ParseError> parse(std::string_view text, Claim& out) {
    if (const auto bad = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_,=:.+"); bad != text.npos)
        return ParseError{bad, fmt::format("the character '{}' has no place in a contract: a-z 0-9 _ , = : . + only",
                                           text.substr(bad, 1))};
    Claim claim;
    std::size_t at = 0;
    for (const auto member : split(text, '+')) {
        Contract c;
        if (auto bad = parse_member(member, at, claim.empty() ? Type::none : claim[0].x, c)) return bad;
        claim.push_back(c);
        if (claim.size() > 1)
            if (auto what = unlike(claim[0], c); !what.empty()) return ParseError{at, what};
        at += member.size() + 1;
    }
    out = std::move(claim);
    return {};
}

std::string print(const Contract& contract, bool with_type) {
    Contract c = contract, usual;
    complete(c);
    usual.x = with_type ? Type::none : c.x;
    usual.w = usual.res = c.x;
    usual.y = promote(c.x, c.w);
    std::string s;
    for (const Field& f : fields()) {
        const std::string value = f.get(c);
        if (value == f.get(usual)) continue;
        s += (s.empty() ? "" : ",") + (f.positional ? value : std::string(f.key) + "=" + value);
    }
    return s;
}

std::string print(const Claim& claim, bool with_type) {
    std::string s;
    for (const Contract& c : claim) s += (&c == claim.data() ? "" : "+") + print(c, with_type);
    return s;
}

Contract default_contract(Type t, Map map) {
    Contract c;
    c.x = t;
    c.map = map;
    complete(c);
    return c;
}

const std::vector<FieldHelp>& contract_fields() {
    static const std::vector<FieldHelp> help = [] {
        std::vector<FieldHelp> v;
        for (const Field& f : fields()) v.push_back({f.key, f.values, f.default_value, f.consequence});
        return v;
    }();
    return help;
}

}  // namespace ulpgate
