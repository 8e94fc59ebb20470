#include "reports/cli/changed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/base/file.hpp"
#include "reference/base/text.hpp"
#include "reference/toml/document.hpp"
#include "reports/escape/escape.hpp"

namespace ulpgate::cli {
namespace {

constexpr std::size_t most_named = 3;  // paths in a note

bool matches(std::string_view p, std::string_view s) {
    if (p.empty()) return s.empty();
    if (p.starts_with("**/")) {  // no folder at all too
        if (matches(p.substr(3), s)) return true;
        const auto slash = s.find('/');
        return slash != s.npos && matches(p, s.substr(slash + 1));
    }
    if (p.starts_with("**")) {
        for (std::size_t k = 0; k <= s.size(); ++k)
            if (matches(p.substr(2), s.substr(k))) return true;
        return false;
    }
    if (p[0] == '*') {
        for (std::size_t k = 0;; ++k) {
            if (matches(p.substr(1), s.substr(k))) return true;
            if (k == s.size() || s[k] == '/') return false;
        }
    }
    if (s.empty() || (p[0] == '?' ? s[0] == '/' : s[0] != p[0])) return false;
    return matches(p.substr(1), s.substr(1));
}

// Git puts a path with unusual bytes into quotes, as C would.
std::string unquoted(std::string_view s) {
    if (s.size() < 2 || s.front() != '"' || s.back() != '"') return std::string(s);
    s = s.substr(1, s.size() - 2);
    constexpr std::string_view letters = "abtnvfr", values = "\a\b\t\n\v\f\r";
    std::string out;
    for (std::size_t k = 0; k < s.size(); ++k) {
        if (s[k] != '\\' || k + 1 == s.size()) {
            out += s[k];
            continue;
        }
        const char c = s[++k];
        unsigned char byte = 0;
        if (const auto at = letters.find(c); at != letters.npos) out += values[at];
        else if (k + 2 < s.size() && c >= '0' && c <= '3' && parse_integer(s.substr(k, 3), byte, 8)) out += static_cast<char>(byte), k += 2;
        else out += c;
    }
    return out;
}

std::vector<std::string> texts(const TomlValue& rule, std::string_view key, const std::string& where) {
    const auto* v = rule.find(key);
    if (!v) throw UsageError(fmt::format("{}: a [[changed]] entry needs paths = [\"GLOB\", ...] and subjects = [\"SUBJECT\", ...]; it has no {}", where, key));
    std::vector<std::string> out;
    const auto take = [&](const TomlValue& e) {
        if (e.kind != TomlValue::Kind::string || e.text.empty())
            throw UsageError(fmt::format("{}: {} holds {}, strings that are not empty are needed", where, key, e.kind == TomlValue::Kind::string ? "an empty string" : name(e.kind)));
        out.push_back(e.text);
    };
    if (v->kind == TomlValue::Kind::array) std::for_each(v->array.begin(), v->array.end(), take);
    else take(*v);
    return out;
}

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const auto& s : from)
        if (std::find(to.begin(), to.end(), s) == to.end()) to.push_back(s);
}

std::string named(const std::vector<std::string>& paths) {
    std::string s;
    for (std::size_t k = 0; k < std::min(paths.size(), most_named); ++k) s += fmt::format("{}{}", k ? ", " : "", printable(std::string_view(paths[k])));
    return paths.size() > most_named ? fmt::format("{} and {} more", s, paths.size() - most_named) : s;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view path) {
    const bool folder = pattern.ends_with('/'), anywhere = pattern.find('/') >= pattern.size() - (folder ? 1 : 0);
    if (folder) pattern.remove_suffix(1);
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    if (pattern.empty()) return false;
    for (std::size_t end = 0; end != path.size();) {  // the path's folders, then itself
        end = std::min(path.find('/', end + 1), path.size());
        if (folder && end == path.size()) return false;
        const auto part = path.substr(0, end);
        if (matches(pattern, anywhere ? part.substr(part.rfind('/') + 1) : part)) return true;
    }
    return false;
}

std::vector<std::string> read_paths(std::string_view content) {
    const bool ended_by_nul = content.find('\0') != content.npos;
    std::vector<std::string> out;
    for (auto line : split(content, ended_by_nul ? '\0' : '\n')) {
        if (!ended_by_nul && line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        auto path = ended_by_nul ? std::string(line) : unquoted(line);
        if (path.starts_with("./")) path.erase(0, 2);
        out.push_back(std::move(path));
    }
    return out;
}

std::vector<ChangeRule> change_rules(const TomlValue& v, std::string_view file) {
    const auto place = [&](int line) { return fmt::format("{}:{}", file, line); };
    if (v.kind != TomlValue::Kind::array) throw UsageError(fmt::format("{}: 'changed' is {}, entries [[changed]] are needed", place(v.line), name(v.kind)));
    std::vector<ChangeRule> out;
    for (const auto& e : v.array) {
        const auto where = place(e.line);
        if (e.kind != TomlValue::Kind::table) throw UsageError(fmt::format("{}: 'changed' holds {}, entries [[changed]] are needed", where, name(e.kind)));
        for (const auto& key : e.keys)
            if (key != "paths" && key != "subjects") throw UsageError(fmt::format("{}: unknown key '{}' in [[changed]]{}", where, key, did_you_mean(key, {"paths", "subjects"})));
        out.push_back({texts(e, "paths", where), texts(e, "subjects", where), where});
        if (out.back().paths.empty()) throw UsageError(fmt::format("{}: paths is empty: no path would belong to this entry", where));
        for (const auto& p : out.back().paths)
            if (p.starts_with('!')) throw UsageError(fmt::format("{}: '{}': a pattern that takes others back is not known here", where, p));
    }
    return out;
}

Concerned concerned(const std::vector<ChangeRule>& rules, const std::vector<std::string>& paths, std::string_view list) {
    Concerned c;
    c.empty_list = paths.empty();
    std::vector<std::string> unknown;
    std::vector<bool> hit(rules.size());
    for (const auto& path : paths) {
        bool any = false;
        for (std::size_t k = 0; k < rules.size(); ++k) {
            const bool in = std::any_of(rules[k].paths.begin(), rules[k].paths.end(), [&](const std::string& p) { return glob_matches(p, path); });
            hit[k] = hit[k] || in;
            any |= in;
        }
        if (!any) unknown.push_back(path);
    }
    for (std::size_t k = 0; k < rules.size(); ++k)
        if (hit[k] || !unknown.empty()) add_new(c.subjects, rules[k].subjects);
    if (!unknown.empty())
        c.notes.push_back(fmt::format("--changed-list {}: no [[changed]] entry knows {}: every subject of the entries is judged", list, named(unknown)));
    if (c.empty_list) c.notes.push_back(fmt::format("--changed-list {}: holds no path: nothing to judge", list));
    else if (c.subjects.empty())
        c.notes.push_back(fmt::format("--changed-list {}: {} concern{} no subject: nothing to judge", list, named(paths), paths.size() == 1 ? "s" : ""));
    return c;
}

std::optional<Concerned> concerned_by(const Arguments& a) {
    const auto list = a.text("changed-list");
    if (list.empty()) return {};
    if (!a.operands.empty()) throw UsageError(fmt::format("{}: the list says which subjects are judged; '{}' is too much", a.where("changed-list"), a.operands[0]));
    if (a.changed.empty())
        throw UsageError(fmt::format("{}: ./ulpgate.toml has no [[changed]] entry (paths = [\"src/**\"], subjects = [\"./libmykernel.so\"])", a.where("changed-list")));
    std::string content;
    if (const auto e = read_file(list == "-" ? "/dev/stdin" : list, content); !e.empty()) throw UsageError(fmt::format("{}: {}", a.where("changed-list"), e));
    return concerned(a.changed, read_paths(content), list);
}

}  // namespace ulpgate::cli
