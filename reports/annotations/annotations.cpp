#include "reports/annotations/annotations.hpp"

#include <fmt/format.h>

#include "reference/base/text.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"

namespace ulpgate {
namespace {

std::string command(std::string_view level, std::string_view title, std::string_view message, const std::string& where = "") {
    std::string properties = fmt::format("title={}", command_property(title));
    if (const auto [file, line] = place_of(where); line) properties += fmt::format(",file={},line={}", command_property(file), line);
    return fmt::format("::{} {}::{}\n", level, properties, command_message(message));
}

std::string trimmed(std::string s) {
    while (!s.empty() && s.back() == '\n') s.pop_back();
    return s;
}

std::string group_commands(const Result& r, const Group& g) {
    const auto title = fmt::format("{} {} {}: {}", g.subject, g.op, name(g.type), finding_of(g));
    if (g.known && !g.known->changed) return command("notice", title, fmt::format("known until {}: {}", g.known->until, g.known->why), g.known->where);
    if (g.verdict == Verdict::mistrusted || g.verdict == Verdict::unsupported) return command("warning", title, g.findings.empty() ? "" : g.findings.front());
    if (!fails(g.verdict)) return "";
    std::string where;
    for (const auto& l : g.limits)
        if (l.over && where.empty()) where = l.where;
    if (g.known) where = g.known->where;
    return command("error", title, trimmed(failure_text(r, g, {})), where);
}

}  // namespace

std::pair<std::string, int> place_of(const std::string& where) {
    const auto colon = where.rfind(':');
    int line = 0;
    if (colon == where.npos || !parse_integer(std::string_view(where).substr(colon + 1), line) || line < 1) return {where, 0};
    return {where.substr(0, colon), line};
}

std::string to_github(const Result& r) {
    std::string s;
    for (const auto& g : r.groups) s += group_commands(r, g);
    for (const auto& n : r.not_loaded) s += command("error", n.subject + " did not load", n.reason);
    for (const auto& k : r.skipped) s += command(k.required ? "error" : "notice", k.subject + " SKIPPED", k.reason);
    return s;
}

}  // namespace ulpgate
