// OP/TYPE/D[/KEY=VALUE]...    each key once, in any order; printed in the order of the table below, defaults
// left out.
//
//   OP    final_norm, q_a_layernorm, ...         TYPE  bf16, fp16, f32: of x
//   D     columns of x                           VALUE, SEGMENT: properties/cases/values.hpp
//   Exactly one of profile=, fill= and file= says what x holds.
#include "properties/cases/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "properties/cases/values.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/base/hexfloat.hpp"

namespace ulpgate {
namespace {

using Error = std::optional<ParseError>;  // its place counted from the value's first character

struct Key {
    std::string_view name;
    Error (*read)(std::string_view, Case&);
    std::string (*write)(const Case&);  // "": at its default, left out
};

Type type_of_x(const Case& c) { return c.claim.at(0).x; }
Type type_of_w(const Case& c) { return c.claim.at(0).w; }
Type type_of_residual(const Case& c) { return c.claim.at(0).res; }

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto n = nearest(word, candidates);
    return n.empty() ? fmt::format("; one of {}", fmt::join(candidates, " "))
                     : fmt::format("; did you mean '{}'?", n);
}
template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, Name name) {
    std::vector<std::string> out;
    for (const auto& v : range) out.emplace_back(name(v));
    return out;
}
Error error(std::string what, std::size_t at = 0) { return ParseError{at, std::move(what)}; }
Error unless_empty(std::string what) { return what.empty() ? Error{} : error(std::move(what)); }

template <auto Member, auto Low, auto High>
Error read_integer(std::string_view s, Case& c) {
    auto v = c.*Member;
    if (parse_integer(s, v) && v >= Low && v <= High) return c.*Member = v, Error{};
    return error(fmt::format("'{}' is not a whole number from {} to {}", s, Low, High));
}
const Case& defaults() {
    static const Case c;
    return c;
}
template <auto Member>
std::string write_integer(const Case& c) {
    return c.*Member == defaults().*Member ? "" : std::to_string(c.*Member);
}
constexpr std::int64_t most = std::int64_t{1} << 31;  // of any one number; misfit() bounds the product
template <auto Member, auto Low, auto High>
constexpr Key integer(std::string_view name) {
    return {name, read_integer<Member, Low, High>, write_integer<Member>};
}

template <auto Member, auto Type>
Error read_fill(std::string_view s, Case& c) {
    std::uint32_t word = 0;
    auto bad = read_value(s, Type(c), word);
    if (bad.empty()) (c.*Member).fill = word;
    return unless_empty(std::move(bad));
}
template <auto Member, auto Type>
std::string write_fill(const Case& c) {
    const auto& fill = (c.*Member).fill;
    return fill ? print_value(Type(c), *fill) : "";
}
template <auto Member, auto Type>
Error read_seg(std::string_view s, Case& c) {
    return read_segments(s, Type(c), c.d, (c.*Member).segments);
}
template <auto Member, auto Type>
std::string write_seg(const Case& c) {
    return print_segments(Type(c), (c.*Member).segments);
}
template <auto Member, auto Type>
constexpr Key fill_key(std::string_view name) {
    return {name, read_fill<Member, Type>, write_fill<Member, Type>};
}
template <auto Member, auto Type>
constexpr Key seg_key(std::string_view name) {
    return {name, read_seg<Member, Type>, write_seg<Member, Type>};
}

Error read_contract(std::string_view s, Case& c) {
    const auto type = name(type_of_x(c));
    Claim claim;
    auto bad = parse(fmt::format("{},{}", type, s), claim);
    if (!bad) return c.claim = std::move(claim), Error{};
    bad->at -= std::min(bad->at, type.size() + 1);
    return bad;
}

Error read_profile(std::string_view s, Case& c) {
    if (const Op* op = find_op(c.op); op && op->abi != Abi::rmsnorm) {
        if (find_query_profile(s)) return c.profile = s, Error{};
        return error(fmt::format("no profile '{}' of {}{}", s, c.op,
                                 did_you_mean(s, names_of(query_profiles::all(), [](auto p) { return p->name; }))));
    }
    if (find_profile(s)) return c.profile = s, Error{};
    return error(fmt::format("no profile '{}'{}", s,
                             did_you_mean(s, names_of(profiles::all(), [](auto p) { return p->name; }))));
}

Error read_gain(std::string_view s, Case& c) {
    if (find_gain_rule(s)) return c.gain = s, Error{};
    return error(fmt::format("no gain rule '{}'{}", s,
                             did_you_mean(s, names_of(gain_rules(), [](auto r) { return r.name; }))));
}

Error read_eps(std::string_view s, Case& c) {
    const auto v = read_float(s);
    if (v && std::isfinite(*v) && *v >= 0) return c.eps = *v + 0.0, Error{};
    return error(fmt::format("'{}' is not an eps: 0 or a positive number such as 1e-6 or 0x1p-20", s));
}

// The shortest decimal that reads back to the same double where it is short, else a hex float.
std::string write_eps(const Case& c) {
    if (c.eps == defaults().eps) return "";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, c.eps).ptr;
    std::string s(text, end);
    if (const auto e = s.find("e-0"); e != s.npos) s.erase(e + 2, 1);
    return s.size() <= 8 ? s : hexfloat(c.eps);
}

Error read_batch(std::string_view s, Case& c) {
    const auto x = s.find('x');
    std::int64_t b = 0, t = 0;
    if (x == s.npos || !parse_integer(s.substr(0, x), b) || !parse_integer(s.substr(x + 1), t) || b < 0 ||
        t < 0 || b > most || t > most)
        return error(fmt::format("'{}' is not BATCHxTOKENS, as in 4x64", s));
    c.batch = b;
    c.tokens = t;
    return {};
}
std::string write_batch(const Case& c) { return c.batch == 1 ? "" : fmt::format("{}x{}", c.batch, c.tokens); }
Error read_rows(std::string_view s, Case& c) {
    c.batch = 1;
    return read_integer<&Case::tokens, 0, most>(s, c);
}
std::string write_rows(const Case& c) {
    return c.batch != 1 || c.tokens == 1 ? "" : std::to_string(c.tokens);
}

Error read_version(std::string_view s, Case& c) {
    if (parse_integer(s, c.g) && c.g == defaults().g) return {};
    return error(
        fmt::format("'{}': this program's generators are version {}: tensors of another cannot be made", s,
                    defaults().g));
}

Error read_hash(std::string_view s, Case& c) {
    if (s.size() == 16 && parse_integer(s, c.h, 16)) return {};
    return error(fmt::format("'{}' is not a hash of 16 hex digits", s));
}
std::string write_hash(const Case& c) { return c.h ? fmt::format("{:016x}", c.h) : ""; }

// Bytes that a shell might take as its own, and '%', are written %XX.
bool plain(unsigned char b) {
    return std::isalnum(b) || b >= 0x80 ||
           std::string_view("/._-+@,=:").find(static_cast<char>(b)) != std::string_view::npos;
}
std::string write_file(const Case& c) {
    std::string s;
    for (const char b : c.file) {
        const auto u = static_cast<unsigned char>(b);
        if (plain(u))
            s += b;
        else
            s += fmt::format("%{:02X}", u);
    }
    return s;
}
Error read_file(std::string_view s, Case& c) {
    if (s.empty()) return error("file= needs PATH or PATH@NAME of a safetensors file");
    for (std::size_t k = 0; k < s.size(); ++k) {
        unsigned char b = static_cast<unsigned char>(s[k]);
        if (b == '%' && (k + 2 >= s.size() || !parse_integer(s.substr(k + 1, 2), b, 16)))
            return error("'%' is written %25 in a file's name", k);
        if (s[k] == '%') k += 2;
        c.file += static_cast<char>(b);
    }
    return {};
}

constexpr std::array keys{
    Key{"contract", read_contract, [](const Case& c) { return print(c.claim, false); }},
    Key{"profile", read_profile, [](const Case& c) { return c.profile; }},
    fill_key<&Case::program, type_of_x>("fill"),
    seg_key<&Case::program, type_of_x>("seg"),
    fill_key<&Case::w_program, type_of_w>("w.fill"),
    seg_key<&Case::w_program, type_of_w>("w.seg"),
    fill_key<&Case::residual_program, type_of_residual>("residual.fill"),
    seg_key<&Case::residual_program, type_of_residual>("residual.seg"),
    Key{"gain", read_gain, [](const Case& c) { return c.gain; }},
    Key{"eps", read_eps, write_eps},
    Key{"rows", read_rows, write_rows},
    Key{"bt", read_batch, write_batch},
    integer<&Case::rank, 0, case_width>("rank"),
    integer<&Case::kv, 1, case_width>("kv"),
    integer<&Case::heads, 1, case_width>("heads"),
    integer<&Case::nope, 0, case_width>("nope"),
    integer<&Case::rope, 0, case_width>("rope"),
    integer<&Case::past, 0, std::int64_t{1} << 20>("past"),
    integer<&Case::out, 1, most>("out"),
    integer<&Case::ld, 1, most>("ld"),
    integer<&Case::yld, 1, most>("yld"),
    integer<&Case::col, 0, most>("col"),
    integer<&Case::offset, 0, 4095>("offset"),
    integer<&Case::threads, 1u, 1024u>("threads"),
    integer<&Case::seed, std::uint64_t{0}, ~std::uint64_t{0}>("seed"),
    Key{"g", read_version, write_integer<&Case::g>},
    Key{"h", read_hash, write_hash},
    integer<&Case::row, 0, most>("row"),
    Key{"file", read_file, write_file},  // last: it takes the rest of the line
};

struct Given {
    std::string_view value;
    std::size_t at = 0;  // of the value; 0: the key is not there
};
using AllGiven = std::array<Given, keys.size()>;

constexpr std::string_view form =
    "a case is OP/TYPE/D/KEY=VALUE..., as in q_a_layernorm/bf16/1536/profile=gaussian/rows=8";

// The three fields in front; `at` moves behind them.
Error read_head(std::string_view line, std::size_t& at, Case& c) {
    const auto next = [&] {
        const auto end = std::min(line.find('/', at), line.size());
        const auto s = line.substr(at, end - at);
        at = end + 1;
        return s;
    };
    const auto op = next();
    if (!find_op(op))
        return error(fmt::format("no operation '{}'{}", op,
                                 did_you_mean(op, names_of(ops::all(), [](auto o) { return o->name; }))));
    c.op = op;
    if (at > line.size()) return error(std::string(form), line.size());
    const std::size_t type_at = at;
    const auto type = next();
    const std::vector<std::string> types{"bf16", "fp16", "f32"};
    if (std::find(types.begin(), types.end(), type) == types.end())
        return error(fmt::format("no type '{}'{} (the rest of a contract is contract=...)", type,
                                 did_you_mean(type, types)),
                     type_at);
    if (parse(type, c.claim) || at > line.size()) return error(std::string(form), line.size());
    const std::size_t d_at = at;
    const auto d = next();
    if (!parse_integer(d, c.d) || c.d < 1 || c.d > case_width)
        return error(fmt::format("'{}' columns: D is a whole number from 1 to {}", d, case_width), d_at);
    return {};
}

// Where each key's value stands.
Error find_keys(std::string_view line, std::size_t at, AllGiven& given) {
    while (at <= line.size()) {
        auto end = std::min(line.find('/', at), line.size());
        const auto word = line.substr(at, std::min(line.find('=', at), end) - at);
        const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == word; });
        if (key == keys.end())
            return error(fmt::format("no key '{}'{}", word,
                                     did_you_mean(word, names_of(keys, [](const Key& k) { return k.name; }))),
                         at);
        const std::size_t value = at + word.size() + 1;
        if (value > end) return error(fmt::format("{0} needs a value: {0}=...", word), at);
        if (word == "file") end = line.size();
        Given& g = given[static_cast<std::size_t>(key - keys.begin())];
        if (g.at) return error(fmt::format("{} is given twice", word), at);
        g = {line.substr(value, end - value), value};
        at = end + 1;
    }
    return {};
}

const Given& of(const AllGiven& given, std::string_view key) {
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (keys[k].name == key) return given[k];
    return given.back();
}

// Keys that exclude or need each other.
Error check_together(const AllGiven& given, std::size_t end) {
    const auto at = [&](std::string_view key) { return of(given, key).at; };
    constexpr std::array<std::array<std::string_view, 2>, 5> either{
        {{"profile", "fill"}, {"profile", "file"}, {"fill", "file"}, {"w.fill", "gain"}, {"rows", "bt"}}};
    for (const auto& [a, b] : either)
        if (at(a) && at(b))
            return error(fmt::format("{} and {} exclude each other: give one", a, b), std::max(at(a), at(b)));
    constexpr std::array<std::array<std::string_view, 2>, 3> needs{
        {{"seg", "fill"}, {"w.seg", "w.fill"}, {"residual.seg", "residual.fill"}}};
    for (const auto& [a, b] : needs)
        if (at(a) && !at(b))
            return error(fmt::format("{} changes columns of {}=VALUE: give that too", a, b), at(a));
    if (!at("profile") && !at("fill") && !at("file"))
        return error("says not what x holds: profile=NAME, fill=VALUE or file=PATH", end);
    return {};
}

}  // namespace

std::optional<ParseError> parse(std::string_view line, Case& out) {
    Case c;
    std::size_t at = 0;
    if (auto bad = read_head(line, at, c)) return bad;
    AllGiven given{};
    if (auto bad = find_keys(line, at, given)) return bad;
    if (auto bad = check_together(given, line.size())) return bad;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (!given[k].at) continue;
        if (auto bad = keys[k].read(given[k].value, c))
            return ParseError{given[k].at + bad->at, fmt::format("{}: {}", keys[k].name, bad->what)};
    }
    if (const Misfit m = misfit(c); !m.what.empty()) {
        const std::size_t where = of(given, m.key).at;
        return ParseError{where ? where : line.size(), fmt::format("{}: {}", m.key, m.what)};
    }
    out = std::move(c);
    return {};
}

std::string print(const Case& c) {
    std::string s = fmt::format("{}/{}/{}", c.op, name(type_of_x(c)), c.d);
    for (const Key& k : keys)
        if (const auto value = k.write(c); !value.empty()) s += fmt::format("/{}={}", k.name, value);
    return s;
}

}  // namespace ulpgate
