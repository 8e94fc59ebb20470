#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/toml/document.hpp"
#include "reports/table/worst.hpp"

namespace ulpgate {
namespace embedded {
extern const std::string_view worst_toml;
}
namespace {

constexpr std::string_view schema = "ulpgate.worst/1";

struct Wrong {
    int line;
    std::string what;
};

const TomlValue& member(const TomlValue& t, std::string_view key, TomlValue::Kind kind) {
    const auto* v = t.find(key);
    if (!v) throw Wrong{t.line, fmt::format("'{}' is missing", key)};
    if (v->kind != kind && !(kind == TomlValue::Kind::real && v->number())) throw Wrong{v->line, fmt::format("'{}' is {}, {} is needed", key, name(v->kind), name(kind))};
    return *v;
}

std::string bound_words(double v) { return std::isfinite(v) ? fmt::format("{:.1f}", v) : "unknown"; }

}  // namespace

WorstTable parse_worst(std::string_view toml, const std::string& path) {
    WorstTable out;
    const auto doc = parse_toml(toml, path);
    if (!doc.error.empty()) return {doc.error, {}};
    try {
        if (const auto& s = member(doc.root, "schema", TomlValue::Kind::string); s.text != schema) throw Wrong{s.line, fmt::format("'{}' is not {}", s.text, schema)};
        for (const auto& e : member(doc.root, "worst", TomlValue::Kind::array).array) {
            WorstRow w;
            w.subject = member(e, "subject", TomlValue::Kind::string).text;
            w.r_ulp32 = member(e, "r_ulp32", TomlValue::Kind::real).real;
            w.count = member(e, "count", TomlValue::Kind::string).text;
            const auto& line = member(e, "case", TomlValue::Kind::string);
            if (const auto bad = parse(line.text, w.witness)) throw Wrong{line.line, fmt::format("case, column {}: {}", bad->at + 1, bad->what)};
            out.rows.push_back(std::move(w));
        }
    } catch (const Wrong& w) {
        return {fmt::format("{}:{}: {}", path, w.line, w.what), {}};
    }
    if (out.rows.empty()) out.error = fmt::format("{}: holds no [[worst]]", path);
    return out;
}

WorstTable built_in_worst() { return parse_worst(embedded::worst_toml, "reports/table/worst.toml"); }

std::string write_worst(const std::vector<WorstRow>& rows) {
    std::string s = fmt::format("# Written by `ulpgate report table --search N -o FILE`: what each number is, reports/table/worst.hpp says.\nschema = \"{}\"\n", schema);
    for (const auto& w : rows)
        s += fmt::format("\n[[worst]]\nsubject = {}\nr_ulp32 = {:.3f}\ncount = {}\ncase = {}\n", toml_quoted(w.subject), w.r_ulp32, toml_quoted(w.count), toml_quoted(print(w.witness)));
    return s;
}

std::string worst_markdown(const std::vector<WorstRow>& rows) {
    std::vector<std::size_t> order(rows.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto type = [&](std::size_t k) { return rows[k].witness.claim[0].x; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(rows[a].witness.op, name(type(a))) < std::pair(rows[b].witness.op, name(type(b)));
    });
    std::string table =
        "# How far r is off, at worst\n\nThe error of r = 1/sqrt(mean + eps), in ulps of float32, of the built-in kernels. *proven, any order*: no row of this width is off by\n"
        "more under the kernel's contract. *proven, its order*: the same for the order that the kernel sums in. *found*: the largest that a\n"
        "search reached, a lower bound; its witness stands below. `ulpgate report table` runs every witness again.\n\n"
        "| op | type | d | kernel | proven, any order | proven, its order | found | count | witness |\n|---|---|--:|---|--:|--:|--:|---|--:|\n";
    std::string witnesses = "\n## Witnesses\n\n";
    int number = 0;
    for (const auto k : order) {
        const auto& w = rows[k];
        const auto b = worst_bounds(w);
        table += fmt::format("| {} | {} | {} | {} | {} | {} | {:.3f} | {} | {} |\n", w.witness.op, name(type(k)), w.witness.d, w.subject, bound_words(b.contract), bound_words(b.order),
                             w.r_ulp32, w.count, ++number);
        witnesses += fmt::format("{}. `ulpgate replay {} {}`\n", number, w.subject, print(w.witness));
    }
    return table + witnesses;
}

}  // namespace ulpgate
