#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "reference/base/text.hpp"
#include "reference/toml/document.hpp"
#include "reports/cli/arguments.hpp"
#include "reports/cli/changed.hpp"

extern char** environ;

namespace ulpgate::cli {
namespace {

constexpr const char* settings_file = "ulpgate.toml";

std::string variable(std::string_view flag) {
    std::string s = "ULPGATE_";
    for (char c : flag) s += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

std::vector<std::string> values_of(const Flag& f, std::string_view text) {
    if (f.takes != Takes::list) return {std::string(text)};
    std::vector<std::string> out;
    for (auto part : split(text, ','))
        if (!part.empty()) out.emplace_back(part);
    return out;
}

std::vector<std::string> strings_of(const TomlValue& v, std::string_view key) {
    std::vector<std::string> out;
    if (v.kind == TomlValue::Kind::array) {
        for (const auto& e : v.array) {
            if (e.kind == TomlValue::Kind::table || e.kind == TomlValue::Kind::array)
                throw UsageError(fmt::format("{}:{}: {} holds {}, strings or numbers are needed", settings_file, e.line, key, name(e.kind)));
            out.push_back(e.text);
        }
    } else if (v.kind == TomlValue::Kind::table) {
        throw UsageError(fmt::format("{}:{}: '{}' is a table; its keys are flags, written at the top", settings_file, v.line, key));
    } else {
        out.push_back(v.text);
    }
    return out;
}

const Flag* flag_of_any_verb(std::string_view name) {
    for (const Verb* v : all())
        for (const auto& f : v->flags)
            if (f.name == name) return &f;
    return nullptr;
}

std::vector<std::string> every_flag() {
    std::vector<std::string> out;
    for (const Verb* v : all())
        for (const auto& f : v->flags) out.emplace_back(f.name);
    return out;
}

void add_file(const Verb& verb, Arguments& a) {
    if (std::error_code ec; !std::filesystem::exists(settings_file, ec)) return;
    const auto doc = read_toml(settings_file);
    if (!doc.error.empty()) throw UsageError(doc.error);
    for (const auto& key : doc.root.keys) {
        const auto& value = *doc.root.find(key);
        const auto where = fmt::format("{}:{}", settings_file, value.line);
        if (key == "required") {
            a.required = strings_of(value, key);
            continue;
        }
        if (key == "changed") {
            a.changed = change_rules(value, settings_file);
            continue;
        }
        const Flag* known = flag_of_any_verb(key);
        if (!known) {
            auto names = every_flag();
            names.insert(names.end(), {"required", "changed"});
            throw UsageError(fmt::format("{}: unknown key '{}'{}", where, key, did_you_mean(key, names)));
        }
        if (known->takes == Takes::nothing && value.kind != TomlValue::Kind::boolean)
            throw UsageError(fmt::format("{}: '{}' is {}, true or false is needed", where, key, name(value.kind)));
        for (const auto& f : verb.flags)
            if (f.name == key && !a.given.contains(key)) a.given[key] = {strings_of(value, key), where};
    }
}

}  // namespace

std::vector<std::string> add_settings(const Verb& verb, Arguments& a) {
    for (const auto& f : verb.flags) {
        if (a.given.contains(f.name)) continue;
        const auto var = variable(f.name);
        const char* v = std::getenv(var.c_str());
        if (!v) continue;
        std::string text = v;
        if (f.takes == Takes::nothing) {
            if (text.empty() || text == "0" || text == "false") text = "false";
            else if (text == "1" || text == "true") text = "true";
            else throw UsageError(fmt::format("{}: '{}' is not 1, 0, true or false", var, text));
        }
        a.given[std::string(f.name)] = {values_of(f, text), var};
    }
    add_file(verb, a);

    std::vector<std::string> notes, names;
    for (const auto& f : every_flag()) names.push_back(variable(f));
    for (char** e = environ; *e; ++e) {
        const std::string_view entry = *e, var = entry.substr(0, entry.find('='));
        if (!var.starts_with("ULPGATE_") || var == "ULPGATE_HOME" || var == "ULPGATE_PYTHON") continue;
        if (std::find(names.begin(), names.end(), var) == names.end())
            notes.push_back(fmt::format("environment variable {} is no flag{}", var, did_you_mean(var, names)));
    }
    return notes;
}

}  // namespace ulpgate::cli
