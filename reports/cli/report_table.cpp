#include <fmt/format.h>

#include "reference/base/file.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/escape/escape.hpp"
#include "reports/run/context.hpp"
#include "reports/table/maxima.hpp"

namespace ulpgate::cli {
namespace {

WorstTable table_from(const Arguments& a, const SubjectOptions& options) {
    if (a.has("search")) {
        std::vector<std::string> subjects;
        for (const auto& s : built_in_subjects(a.home)) {
            const auto members = members_of(s, a.home, {});
            subjects.insert(subjects.end(), members.begin(), members.end());
        }
        const auto cases = a.integer("search", 0, 1, std::int64_t{1} << 40);
        return search_worst(subjects, cases, a.word("seed", default_seed), options, [](std::string_view what) { fmt::print(stderr, "{}\n", what); });
    }
    if (a.operands.empty()) return built_in_worst();
    std::string content;
    if (const auto e = read_file(a.operands[0], content); !e.empty()) return {e, {}};
    return parse_worst(content, a.operands[0]);
}

// What a witness showed when it was run again: a maximum, or why it is none.
void add(Result& result, const WorstRow& w, const Rerun& r) {
    if (r.how == Rerun::How::differs) result.notes.push_back(fmt::format("{} {}: {}", w.subject, print(w.witness), r.what));
    if (r.how == Rerun::How::skipped) {
        if (result.skipped.empty() || result.skipped.back().subject != w.subject) result.skipped.push_back({w.subject, r.what, false});
    }
    if (r.how != Rerun::How::same) return;
    result.maxima.push_back(maximum_of(w));
    if (result.subjects.empty() || result.subjects.back().text != w.subject) result.subjects.push_back({w.subject, w.subject, "", ""});
}

int table_run(const Arguments& a) {
    const Outputs outputs(a);
    if (a.has("search") && !a.operands.empty()) throw UsageError(fmt::format("{}: makes a new table; '{}' is too much", a.where("search"), a.operands[0]));
    if (a.has("o") && !a.has("search")) throw UsageError(fmt::format("{}: belongs to --search", a.where("o")));
    const auto options = subject_options(a);
    const auto table = table_from(a, options);
    if (!table.error.empty()) throw UsageError(table.error);
    int differ = 0, skipped = 0;
    Result result;
    result.context = machine_context();
    for (const auto& w : table.rows) {
        const auto r = rerun(w, options);
        add(result, w, r);
        if (r.how == Rerun::How::same) continue;
        (r.how == Rerun::How::skipped ? skipped : differ) += 1;
        fmt::print(stderr, "{} {}: {}{}\n", printable(std::string_view(w.subject)), print(w.witness), r.how == Rerun::How::skipped ? "SKIPPED: " : "", printable(std::string_view(r.what)));
    }
    fmt::print(outputs.people(), "{}", worst_markdown(table.rows));
    fmt::print(stderr, "{} witnesses: {} as the table says, {} not, {} skipped\n", table.rows.size(), table.rows.size() - static_cast<std::size_t>(differ + skipped), differ, skipped);
    if (const auto file = a.text("o"); !file.empty() && !differ)
        if (const auto e = write_file(file, write_worst(table.rows)); !e.empty()) throw UsageError(e);
    result.exit = differ ? 1 : static_cast<std::size_t>(skipped) == table.rows.size() ? 5 : 0;
    outputs.write(result);
    return result.exit;
}

constexpr Flag flags[] = {
    {"search", Takes::one, "N", "search anew instead, N cases for each kernel, op and type"},
    {"o", Takes::one, "FILE", "of --search: where the new table is kept (TOML, ulpgate.worst/1)"},
    {"seed", Takes::one, "N", "of the search (default 7)"},
    json_flag,
    html_flag,
    timeout_flag,
    child_env_flag,
};

}  // namespace

PIECE(Verb, report_table) = {"report table", "[FILE]", "the largest error of r found for the built-in kernels, beside what is proven, as Markdown",
    "Every witness is run again, on the kernel and on its restatement: exit 1 where one says something else, 5 where no kernel of the\n"
    "table runs on this machine. Without FILE the table that ulpgate was built with (reports/table/worst.toml).",
    flags, 0, 1, table_run};

}  // namespace ulpgate::cli
