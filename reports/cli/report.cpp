#include <fmt/format.h>
#include <unistd.h>

#include "fuzz/exhaustive/exhaustive.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/console/console.hpp"
#include "reports/json/json.hpp"
#include "reports/result/merge_runs.hpp"

namespace ulpgate::cli {
namespace {

int report_exhaustive(const std::vector<std::string>& files) {
    const auto r = fuzzing::merge_exhaustive(files);
    if (!r.error.empty()) throw UsageError(r.error);
    fmt::print("{}", fuzzing::text_of(r));
    return r.inadmissible() ? 1 : 0;
}

int report_run(const Arguments& a) {
    const auto color = one_of(a, "color", {"auto", "always", "never"});
    const Outputs outputs(a);
    if (a.operands.size() > 1 && !a.has("merge")) throw UsageError(fmt::format("{} files: --merge makes one run of them", a.operands.size()));
    if (fuzzing::is_exhaustive(a.operands[0])) return report_exhaustive(a.operands);
    Result whole;
    for (std::size_t k = 0; k < a.operands.size(); ++k) {
        auto read = read_run(a.operands[k]);
        if (!read.error.empty()) throw UsageError(read.error);
        if (k == 0) whole = std::move(read.result);
        else merge_runs(whole, read.result);
    }
    const auto style = style_for(color, ::fileno(outputs.people()));
    fmt::print(stderr, "{}", context_text(whole.context, style_for(color, STDERR_FILENO)));
    fmt::print(outputs.people(), "{}", result_text(whole, style));
    outputs.write(whole);
    return whole.exit;
}

constexpr Flag flags[] = {
    {"merge", Takes::nothing, "", "one run of several files: shards, machines"},
    json_flag,
    junit_flag,
    markdown_flag,
    sarif_flag,
    html_flag,
    annotations_flag,
    color_flag,
};

}  // namespace

PIECE(Verb, report) = {"report", "FILE.json...", "render what gate --json wrote: one machine runs, another renders",
    "Prints the table again and writes the formats that are asked for, from the JSON alone. With --merge the files become one run.\n"
    "The files of `search --exhaustive --shard I/N` are merged and shown alike.\n"
    "Exit code: that of the run, or of the merged one.",
    flags, 1, any_number, report_run};

}  // namespace ulpgate::cli
