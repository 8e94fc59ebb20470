#include <fmt/format.h>
#include <unistd.h>

#include "fuzz/exhaustive/exhaustive.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/console/console.hpp"
#include "reports/eps/table.hpp"
#include "reports/json/json.hpp"
#include "reports/result/merge_runs.hpp"
#include "reports/stages/table.hpp"
#include "reports/table/maxima.hpp"

namespace ulpgate::cli {
namespace {

// Files of runs and files of search --exhaustive; the latter become one.
struct Files {
    std::vector<std::string> runs, exhaustive;
};

Files files_of(const Arguments& a) {
    Files f;
    for (const auto& path : a.operands) (fuzzing::is_exhaustive(path) ? f.exhaustive : f.runs).push_back(path);
    if (a.operands.size() > 1 && !f.runs.empty() && !a.has("merge")) throw UsageError(fmt::format("{} files: --merge makes one run of them", a.operands.size()));
    if (!f.exhaustive.empty())
        for (const char* flag : {"junit", "markdown", "sarif", "annotations"})
            if (a.has(flag)) throw UsageError(fmt::format("{}: shows what gate wrote; of {} there is --html and --json", a.where(flag), f.exhaustive[0]));
    return f;
}

// Adds them to the run, and prints their own table.
void add_exhaustive(const std::vector<std::string>& files, Result& whole, std::FILE* people) {
    const auto r = fuzzing::merge_exhaustive(files);
    if (!r.error.empty()) throw UsageError(r.error);
    fmt::print(people, "{}", fuzzing::text_of(r));
    Result more;
    more.context = whole.context;
    more.context.self_check = more.context.self_check_failed = 0;
    more.maxima = maxima_of(r);
    more.subjects.push_back({r.subject, r.subject, "", ""});
    if (whole.groups.empty() && whole.maxima.empty() && whole.stages.empty() && whole.eps.empty()) whole = more, whole.exit = exit_of(whole);
    else merge_runs(whole, more);
}

// What report budget and report eps had printed.
std::string analyses_text(const Result& r) {
    std::string s;
    for (const auto& t : r.stages) s += stages_text(t);
    for (const auto& t : r.eps) s += eps_text(t);
    return s;
}

int report_run(const Arguments& a) {
    const auto color = one_of(a, "color", {"auto", "always", "never"});
    const Outputs outputs(a);
    const auto files = files_of(a);
    Result whole;
    for (std::size_t k = 0; k < files.runs.size(); ++k) {
        auto read = read_run(files.runs[k]);
        if (!read.error.empty()) throw UsageError(read.error);
        if (k == 0) whole = std::move(read.result);
        else merge_runs(whole, read.result);
    }
    if (!files.runs.empty()) {
        const auto style = style_for(color, ::fileno(outputs.people()));
        fmt::print(stderr, "{}", context_text(whole.context, style_for(color, STDERR_FILENO)));
        fmt::print(outputs.people(), "{}{}", analyses_text(whole), whole.groups.empty() && !(whole.stages.empty() && whole.eps.empty()) ? "" : result_text(whole, style));
    }
    if (!files.exhaustive.empty()) add_exhaustive(files.exhaustive, whole, outputs.people());
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
    "The files of `search --exhaustive --shard I/N` are merged and shown alike; beside those of gate and of report table their errors\n"
    "stand in the page's comparison, marked exhaustive, searched or sampled.\n"
    "Exit code: that of the run, or of the merged one.",
    flags, 1, any_number, report_run};

}  // namespace ulpgate::cli
