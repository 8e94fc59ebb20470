#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "reports/cli/verb.hpp"
#include "reports/console/style.hpp"
#include "reports/escape/escape.hpp"
#include "reports/json/json.hpp"
#include "reports/result/result.hpp"

namespace ulpgate::cli {
namespace {

std::vector<std::string> runs_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code ec;
    for (const auto& e : std::filesystem::directory_iterator(folder, ec))
        if (e.path().extension() == ".json") files.push_back(e.path().string());
    if (ec) throw UsageError(fmt::format("{}: {}", folder, ec.message()));
    if (files.empty()) throw UsageError(fmt::format("{}: holds no .json file: keep what gate --json writes there, a file a run, named so that they sort by time", folder));
    std::sort(files.begin(), files.end());
    return files;
}

// A line a run for each subject, op, type and claim, where something changed since the line before.
int history_run(const Arguments& a) {
    struct Line {
        std::string run, text;
    };
    std::map<std::string, std::vector<Line>> history;
    std::vector<std::string> unreadable;
    const auto files = runs_in(a.operands[0]);
    for (const auto& file : files) {
        const auto read = read_run(file);
        if (!read.error.empty()) {
            unreadable.push_back(read.error);
            continue;
        }
        for (const auto& g : read.result.groups) {
            const auto& m = g.whole.measure;
            history[fmt::format("{} {} {}", g.subject, g.op, print(g.claim))].push_back(
                {std::filesystem::path(file).stem().string(), fmt::format("{:<14} worst ulp {:<9} r ulp32 {:<9} rows {}", fails(g.verdict) ? finding_of(g) : std::string(name(g.verdict)),
                                                                          short_number(m.worst_ulp), short_number(m.worst_r_ulp32), m.rows)});
        }
    }
    for (const auto& [what, lines] : history) {
        fmt::print("{}\n", printable(what));
        std::size_t same = 0;
        for (std::size_t k = 0; k < lines.size(); ++k) {
            if (k && k + 1 < lines.size() && lines[k].text == lines[k - 1].text) {
                ++same;
                continue;
            }
            if (same) fmt::print("  {:<24} {} the same\n", "...", same);
            same = 0;
            fmt::print("  {:<24} {}\n", printable(lines[k].run), printable(lines[k].text));
        }
    }
    for (const auto& e : unreadable) fmt::print(stderr, "ulpgate: {}\n", printable(e));
    return unreadable.size() == files.size() ? 2 : 0;
}

}  // namespace

PIECE(Verb, report_history) = {"report history", "DIR", "how each kernel fared from run to run, from the JSON files in a folder",
    "A line a run, in the order of the files' names; runs that say the same are counted. A file that is no run is told and left out;\n"
    "exit 2 where none is.",
    {}, 1, 1, history_run};

}  // namespace ulpgate::cli
