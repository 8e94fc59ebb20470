// A TOML file as a small tree whose every value knows its line: what settings and budgets are read from.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ulpgate {

struct TomlValue {
    enum class Kind { table, array, string, integer, real, boolean, date };
    Kind kind = Kind::table;
    int line = 0;
    int column = 0, end_column = 0;  // from 1, in code points; end_column is past the last, 0 where it is on another line
    std::string text;  // string; date as YYYY-MM-DD; integer, real and boolean as written back
    std::int64_t integer = 0;
    double real = 0;   // of integer and real
    bool boolean = false;
    std::vector<TomlValue> array;
    std::vector<std::string> keys;  // of a table, sorted, with their values
    std::vector<TomlValue> values;

    const TomlValue* find(std::string_view key) const;
    bool number() const { return kind == Kind::integer || kind == Kind::real; }
};
std::string_view name(TomlValue::Kind);

// A basic string of TOML, quotes included.
std::string toml_quoted(std::string_view);

struct TomlDocument {
    std::string error;  // "PATH:LINE: what", or ""
    TomlValue root;
};
TomlDocument read_toml(const std::string& path);
TomlDocument parse_toml(std::string_view content, const std::string& path);

}  // namespace ulpgate
