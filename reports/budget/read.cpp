#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "properties/profiles/profile.hpp"
#include "reference/base/file.hpp"
#include "reference/base/text.hpp"
#include "reference/ops/op.hpp"
#include "reports/budget/budget.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate {
namespace {

struct Wrong {
    int line;
    std::string what;
};

std::string meant(std::string_view word, const std::vector<std::string>& candidates) {
    const auto n = nearest(word, candidates);
    return n.empty() ? "" : fmt::format(", did you mean '{}'?", n);
}

template <class Pieces>
std::vector<std::string> names(const Pieces& pieces) {
    std::vector<std::string> out;
    for (const auto* p : pieces) out.emplace_back(p->name);
    return out;
}

void only_these_keys(const TomlValue& table, std::string_view what, const std::vector<std::string>& keys) {
    if (table.kind != TomlValue::Kind::table) throw Wrong{table.line, fmt::format("{} is {}, a table is needed", what, name(table.kind))};
    for (const auto& key : table.keys)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            throw Wrong{table.find(key)->line, fmt::format("unknown key '{}' in {}{}", key, what, meant(key, keys))};
}

std::string string_of(const TomlValue& table, std::string_view what, std::string_view key, std::string_view needed = "") {
    const auto* v = table.find(key);
    if (!v) {
        if (needed.empty()) return "";
        throw Wrong{table.line, fmt::format("{} has no '{}': {}", what, key, needed)};
    }
    if (v->kind != TomlValue::Kind::string && v->kind != TomlValue::Kind::date)
        throw Wrong{v->line, fmt::format("'{}' is {}, a string is needed", key, name(v->kind))};
    if (v->text.empty() && !needed.empty()) throw Wrong{v->line, fmt::format("'{}' is empty: {}", key, needed)};
    return v->text;
}

std::optional<double> limit_of(const TomlValue& table, std::string_view key) {
    const auto* v = table.find(key);
    if (!v) return {};
    if (!v->number()) throw Wrong{v->line, fmt::format("'{}' is {}, a number is needed", key, name(v->kind))};
    if (std::isnan(v->real)) throw Wrong{v->line, fmt::format("'{}' is NaN, which no error is above: give a number", key)};
    if (std::isinf(v->real) || v->real < 0) throw Wrong{v->line, fmt::format("'{}' is {}: a finite limit of at least 0 is needed", key, v->text)};
    return v->real;
}

BudgetKey key_of(const TomlValue& table, std::string_view what) {
    BudgetKey k;
    const auto text = string_of(table, what, "case", "give OP/TYPE/D, such as q_a_layernorm/bf16/1536");
    const int line = table.find("case")->line;
    const auto part = split(text, '/');
    if (part.size() != 3) throw Wrong{line, fmt::format("case '{}' is not OP/TYPE/D", text)};
    k.op = part[0];
    if (!find_op(k.op)) throw Wrong{line, fmt::format("no op '{}'{}", k.op, meant(k.op, names(ops::all())))};
    for (Type t : {Type::bf16, Type::fp16, Type::f32})
        if (name(t) == part[1]) k.type = t;
    if (k.type == Type::none) throw Wrong{line, fmt::format("no type '{}'{}", part[1], meant(part[1], {"bf16", "fp16", "f32"}))};
    if (!parse_integer(part[2], k.d) || k.d < 1) throw Wrong{line, fmt::format("d '{}' is not a positive whole number", part[2])};
    k.contract = string_of(table, what, "contract");
    if (!k.contract.empty()) {
        Claim c;
        const auto full = std::string(name(k.type)) + "," + k.contract;
        if (auto e = parse(full, c)) throw Wrong{table.find("contract")->line, fmt::format("contract '{}': {}", k.contract, e->what)};
        k.contract = print(c, false);
    }
    k.target = string_of(table, what, "target");
    k.profile = string_of(table, what, "profile");
    if (!k.profile.empty() && !find_profile(k.profile) && k.profile != "activations")
        throw Wrong{table.find("profile")->line, fmt::format("no profile '{}'{}", k.profile, meant(k.profile, names(profiles::all())))};
    return k;
}

template <class Entries>
void only_once(const Entries& before, const BudgetKey& key, int line, std::string_view what) {
    for (const auto& e : before)
        if (e.key == key) throw Wrong{line, fmt::format("a second {} for {}; the first is on line {}", what, key_text(key), e.line)};
}

bool is_date(std::string_view s) {
    int n = 0;
    return s.size() == 10 && s[4] == '-' && s[7] == '-' && parse_integer(s.substr(0, 4), n) && parse_integer(s.substr(5, 2), n) &&
           n >= 1 && n <= 12 && parse_integer(s.substr(8), n) && n >= 1 && n <= 31;
}

BudgetLimit limit_from(const TomlValue& t) {
    only_these_keys(t, "[[limit]]", {"case", "contract", "target", "profile", "r_ulp32", "ulp", "count", "why", "witness"});
    BudgetLimit l;
    l.line = t.line;
    l.key = key_of(t, "[[limit]]");
    l.r_ulp32 = limit_of(t, "r_ulp32");
    l.ulp = limit_of(t, "ulp");
    if (!l.r_ulp32 && !l.ulp) throw Wrong{t.line, "[[limit]] limits nothing: give r_ulp32 (the error of r) or ulp (of the output)"};
    l.why = string_of(t, "[[limit]]", "why", "say where the number comes from");
    l.count = string_of(t, "[[limit]]", "count");
    l.witness = string_of(t, "[[limit]]", "witness");
    return l;
}

BudgetKnown known_from(const TomlValue& t, std::string_view day) {
    only_these_keys(t, "[[known]]", {"case", "contract", "target", "profile", "finding", "why", "until"});
    BudgetKnown k;
    k.line = t.line;
    k.key = key_of(t, "[[known]]");
    k.finding = string_of(t, "[[known]]", "finding", "give the verdict, or verdict and name: \"inadmissible: f32_gain\"");
    k.why = string_of(t, "[[known]]", "why", "say why it is tolerated");
    k.until = string_of(t, "[[known]]", "until", "give the day it must be gone, YYYY-MM-DD");
    const int line = t.find("until")->line;
    if (!is_date(k.until)) throw Wrong{line, fmt::format("until '{}' is not a day: YYYY-MM-DD is needed", k.until)};
    if (k.until < day)
        throw Wrong{line, fmt::format("the known finding '{}' ran out on {}: repair it, or set a new day and say why", k.finding, k.until)};
    return k;
}

Budget budget_from(const TomlValue& root, const std::string& path, std::string_view day) {
    only_these_keys(root, "a budget", {"schema", "subject", "limit", "known"});
    Budget b;
    b.path = path;
    const auto schema = string_of(root, "the file", "schema", "the first line is schema = \"ulpgate.budget/1\"");
    if (schema != "ulpgate.budget/1") throw Wrong{root.find("schema")->line, fmt::format("schema '{}': this program reads ulpgate.budget/1; judge with the ulpgate that wrote it, or write its entries for /1 by hand", schema)};
    b.subject = string_of(root, "the file", "subject", "say whose budget it is, as gate names it");
    const auto each = [&](const char* key, auto&& take) {
        const auto* list = root.find(key);
        if (!list) return;
        if (list->kind != TomlValue::Kind::array) throw Wrong{list->line, fmt::format("'{}' is {}: write [[{}]]", key, name(list->kind), key)};
        for (const auto& t : list->array) take(t);
    };
    each("limit", [&](const TomlValue& t) {
        auto l = limit_from(t);
        only_once(b.limits, l.key, l.line, "limit");
        b.limits.push_back(std::move(l));
    });
    each("known", [&](const TomlValue& t) {
        auto k = known_from(t, day);
        only_once(b.known, k.key, k.line, "known finding");
        b.known.push_back(std::move(k));
    });
    return b;
}

}  // namespace

std::string key_text(const BudgetKey& k) {
    auto s = fmt::format("{}/{}/{}", k.op, name(k.type), k.d);
    for (const auto& [what, v] : {std::pair("contract", k.contract), std::pair("target", k.target), std::pair("profile", k.profile)})
        if (!v.empty()) s += fmt::format(" {} {}", what, v);
    return s;
}

BudgetRead parse_budget(std::string_view content, const std::string& path, std::string_view day) {
    const auto doc = parse_toml(content, path);
    if (!doc.error.empty()) return {doc.error, {}};
    try {
        return {"", budget_from(doc.root, path, day)};
    } catch (const Wrong& w) {
        return {fmt::format("{}:{}: {}", path, std::max(w.line, 1), w.what), {}};
    }
}

BudgetRead read_budget(const std::string& path, std::string_view day) {
    std::string content;
    if (auto e = read_file(path, content, std::size_t{16} << 20); !e.empty())
        return {e + ": a budget is a TOML file that begins with schema = \"ulpgate.budget/1\"", {}};
    return parse_budget(content, path, day);
}

std::string today() {
    const std::chrono::year_month_day d(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()), static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
}

}  // namespace ulpgate
