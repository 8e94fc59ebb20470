#include "reference/toml/document.hpp"

#include <fmt/format.h>
#if defined(TOML_HEADER_ONLY) && TOML_HEADER_ONLY
// toml++ 3.3 asserts (and lets an optimiser assume) of a key's first character what it checks a few lines on, with a message:
// "[[[" is an error in words, no abort.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#endif
#include <toml++/toml.h>

#include "reference/base/file.hpp"

namespace ulpgate {
namespace {

TomlValue convert(const toml::node& n) {
    using Kind = TomlValue::Kind;
    TomlValue v;
    v.line = static_cast<int>(n.source().begin.line);
    v.column = static_cast<int>(n.source().begin.column);
    if (n.source().end.line == n.source().begin.line) v.end_column = static_cast<int>(n.source().end.column);
    if (const auto* t = n.as_table()) {
        v.kind = Kind::table;
        for (const auto& [key, child] : *t) {
            v.keys.emplace_back(key.str());
            v.values.push_back(convert(child));
        }
        for (auto& child : v.values)
            if (child.line == 0) child.line = v.line;
    } else if (const auto* a = n.as_array()) {
        v.kind = Kind::array;
        for (const auto& child : *a) v.array.push_back(convert(child));
    } else if (const auto* s = n.as_string()) {
        v.kind = Kind::string;
        v.text = s->get();
    } else if (const auto* i = n.as_integer()) {
        v.kind = Kind::integer;
        v.integer = i->get();
        v.real = static_cast<double>(v.integer);
        v.text = std::to_string(v.integer);
    } else if (const auto* f = n.as_floating_point()) {
        v.kind = Kind::real;
        v.real = f->get();
        v.text = fmt::format("{}", v.real);
    } else if (const auto* b = n.as_boolean()) {
        v.kind = Kind::boolean;
        v.boolean = b->get();
        v.text = v.boolean ? "true" : "false";
    } else if (const auto* d = n.as_date()) {
        v.kind = Kind::date;
        v.text = fmt::format("{:04}-{:02}-{:02}", d->get().year, d->get().month, d->get().day);
    } else {
        v.kind = Kind::string;  // times of day: no key takes one
    }
    return v;
}

// The line of the first character beyond ASCII outside of strings and comments; 0: none. TOML allows none there, and toml++ 3.3 runs
// into __builtin_unreachable() on many of them (its tables of white space).
int stray_letter(std::string_view s) {
    if (s.starts_with("\xef\xbb\xbf")) s.remove_prefix(3);
    std::string_view closing;  // of the string that is open: ", ', three of either
    bool comment = false;
    int line = 1;
    for (std::size_t k = 0; k < s.size(); ++k) {
        const char c = s[k];
        if (c == '\n') {
            ++line;
            comment = false;
            if (closing.size() == 1) closing = {};  // not closed: an error that the parser says
        } else if (comment) {
            continue;
        } else if (!closing.empty()) {
            if (c == '\\' && closing[0] == '"') k += k + 1 < s.size() && s[k + 1] != '\n';
            else if (s.substr(k).starts_with(closing)) {
                k += closing.size() - 1;
                while (closing.size() == 3 && k + 1 < s.size() && s[k + 1] == closing[0]) ++k;  // quotes before the closing ones
                closing = {};
            }
        } else if (c == '#') {
            comment = true;
        } else if (c == '"' || c == '\'') {
            const std::string_view three = c == '"' ? "\"\"\"" : "'''";
            closing = s.substr(k).starts_with(three) ? three : three.substr(0, 1);
            k += closing.size() - 1;
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            return line;
        }
    }
    return 0;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (keys[k] == key) return &values[k];
    return nullptr;
}

std::string_view name(TomlValue::Kind k) {
    switch (k) {
    case TomlValue::Kind::table: return "a table";
    case TomlValue::Kind::array: return "an array";
    case TomlValue::Kind::string: return "a string";
    case TomlValue::Kind::integer: return "an integer";
    case TomlValue::Kind::real: return "a number";
    case TomlValue::Kind::boolean: return "a boolean";
    case TomlValue::Kind::date: return "a date";
    }
    return "";
}

std::string toml_quoted(std::string_view s) {
    std::string out = "\"";
    for (const char c : s) {
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\u{:04X}", byte);
        else out += c;
    }
    return out + "\"";
}

TomlDocument parse_toml(std::string_view content, const std::string& path) {
    if (const int line = stray_letter(content)) return {fmt::format("{}:{}: not TOML: a character that is not ASCII outside of strings and comments", path, line), {}};
    try {
        return {"", convert(toml::parse(content, std::string_view(path)))};
    } catch (const toml::parse_error& e) {
        return {fmt::format("{}:{}: not TOML: {}", path, e.source().begin.line, e.description()), {}};
    }
}

TomlDocument read_toml(const std::string& path) {
    std::string content;
    if (auto e = read_file(path, content, std::size_t{16} << 20); !e.empty()) return {e, {}};
    return parse_toml(content, path);
}

}  // namespace ulpgate
