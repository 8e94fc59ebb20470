#include "reports/diff/diff.hpp"

#include <fmt/format.h>

#include "reference/base/file.hpp"
#include "reports/cli/verb.hpp"

namespace ulpgate::cli {
namespace {

// "main" of "out/main.json"
std::string short_name(std::string path) {
    path = path.substr(path.rfind('/') + 1);
    return path.substr(0, path.rfind('.'));
}

int diff_run(const Arguments& a) {
    std::string text[2];
    for (std::size_t k = 0; k < 2; ++k)
        if (auto e = read_file(a.operands[k], text[k]); !e.empty()) throw UsageError(e);
    auto before = short_name(a.operands[0]), after = short_name(a.operands[1]);
    if (before == after) before = a.operands[0], after = a.operands[1];
    const auto d = diff_runs(text[0], before, text[1], after);
    if (!d.error.empty()) throw UsageError(d.error);
    fmt::print("{}", diff_text(d, before, after));
    return d.worse ? 1 : 0;
}

}  // namespace

PIECE(Verb, diff) = {"diff", "A.json B.json", "say what changed between two runs",
    "A, B: what gate --json or explain --json wrote. Verdict, claim, what is computed, order, worst ulp, limits, invariances.\n"
    "Exit: 0 nothing is worse, 1 something is, 2 a file is unreadable: cut short, or of another schema.",
    {}, 2, 2, diff_run};

}  // namespace ulpgate::cli
