#include "reports/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "reference/base/hexfloat.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::cli {
namespace {

std::vector<std::string> commas(const std::vector<std::string>& values) {
    std::vector<std::string> out;
    for (const auto& v : values)
        for (auto part : split(v, ','))
            if (!part.empty()) out.emplace_back(part);
    return out;
}

std::string spelled(const Flag& f) { return fmt::format("--{}", f.name); }
// One letter may have one dash too: -o DIR.
std::string spellings(const Flag& f) { return (f.name.size() == 1 ? fmt::format("-{},", f.name) : "") + spelled(f); }

struct Parsed {
    CLI::App app;
    std::map<std::string, std::vector<std::string>> values;
    std::vector<std::string> operands;

    explicit Parsed(const Verb& v) : app(std::string(v.what), fmt::format("ulpgate {}", v.name)) {
        app.allow_extras();
        app.set_help_flag("-h,--help", "Print this");
        for (const auto& f : v.flags) {
            if (f.takes == Takes::nothing) {
                app.add_flag_callback(spellings(f), [this, &f] { values[std::string(f.name)] = {"true"}; }, std::string(f.help));
            } else {
                auto* o = app.add_option(spellings(f), values[std::string(f.name)], std::string(f.help));
                o->expected(1)->type_name(std::string(f.value))->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
                o->allow_extra_args(false);
            }
        }
    }
};

[[noreturn]] void unknown_flag(const Verb& v, const std::string& word) {
    std::vector<std::string> names;
    for (const auto& f : v.flags) names.push_back(spelled(f));
    throw UsageError(fmt::format("unknown flag {}{}; see ulpgate {} --help", word, did_you_mean(word.substr(0, word.find('=')), names), v.name));
}

}  // namespace

std::string help_of(const Verb& v) {
    std::string s = fmt::format("ulpgate {}{}{}: {}\n", v.name, v.operands.empty() ? "" : " ", v.operands, v.what);
    if (!v.flags.empty()) s += "\n";
    for (const auto& f : v.flags) {
        const auto usage = fmt::format("{}{}{}", spelled(f), f.value.empty() ? "" : " ", f.value);
        s += fmt::format("  {:<22} {}\n", usage, f.help);
    }
    if (!v.more.empty()) s += fmt::format("\n{}\n", v.more);
    return s;
}

std::optional<Arguments> parse_arguments(const Verb& v, const std::vector<std::string>& words, std::string& help) {
    Parsed p(v);
    try {
        p.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::CallForHelp&) {
        help = help_of(v);
        return {};
    } catch (const CLI::ParseError& e) {
        throw UsageError(fmt::format("{}; see ulpgate {} --help", e.what(), v.name));
    }
    Arguments a;
    bool only_operands = false;
    for (const auto& word : p.app.remaining()) {
        if (word == "--" && !only_operands) only_operands = true;
        else if (!only_operands && word.size() > 1 && word[0] == '-') unknown_flag(v, word);
        else a.operands.push_back(word);
    }
    for (const auto& f : v.flags) {
        auto values = p.values[std::string(f.name)];
        if (values.empty()) continue;
        if (f.takes != Takes::nothing && std::find(values.begin(), values.end(), "") != values.end())
            throw UsageError(fmt::format("{} is empty: it needs {}", spelled(f), f.value));
        if (f.takes == Takes::list) values = commas(values);
        if (f.takes == Takes::one) values = {values.back()};
        a.given[std::string(f.name)] = {values, spelled(f)};
    }
    if (a.operands.size() < v.least) throw UsageError(fmt::format("needs {}; see ulpgate {} --help", v.operands, v.name));
    if (a.operands.size() > v.most)
        throw UsageError(fmt::format("'{}' is too much: it takes {}", a.operands[v.most], v.most ? v.operands : "no operands"));
    return a;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto n = nearest(word, candidates);
    return n.empty() ? "" : fmt::format(", did you mean '{}'?", n);
}

bool Arguments::has(std::string_view flag) const {
    const auto it = given.find(flag);
    return it != given.end() && !it->second.values.empty() && it->second.values.back() != "false";
}
std::string Arguments::text(std::string_view flag, std::string_view otherwise) const {
    const auto it = given.find(flag);
    return it == given.end() || it->second.values.empty() ? std::string(otherwise) : it->second.values.back();
}
std::vector<std::string> Arguments::list(std::string_view flag) const {
    const auto it = given.find(flag);
    return it == given.end() ? std::vector<std::string>{} : it->second.values;
}
std::string Arguments::where(std::string_view flag) const {
    const auto it = given.find(flag);
    return it == given.end() ? fmt::format("--{}", flag) : it->second.where;
}
std::int64_t Arguments::integer(std::string_view flag, std::int64_t otherwise, std::int64_t lowest, std::int64_t highest) const {
    const auto s = text(flag);
    if (s.empty() && !given.contains(flag)) return otherwise;
    std::int64_t v = 0;
    if (!parse_integer(s, v) || v < lowest || v > highest)
        throw UsageError(fmt::format("{}: '{}' is not a whole number from {} to {}", where(flag), s, lowest, highest));
    return v;
}
std::uint64_t Arguments::word(std::string_view flag, std::uint64_t otherwise) const {
    const auto s = text(flag);
    if (s.empty() && !given.contains(flag)) return otherwise;
    std::uint64_t v = 0;
    if (!parse_integer(s, v)) throw UsageError(fmt::format("{}: '{}' is not a whole number from 0 to 2^64-1", where(flag), s));
    return v;
}
double Arguments::number(std::string_view flag, double otherwise, double lowest, double highest) const {
    const auto s = text(flag);
    if (s.empty() && !given.contains(flag)) return otherwise;
    const auto v = read_float(s);
    if (!v || !(*v >= lowest && *v <= highest))
        throw UsageError(fmt::format("{}: '{}' is not a number from {} to {}", where(flag), s, lowest, highest));
    return *v;
}

}  // namespace ulpgate::cli
