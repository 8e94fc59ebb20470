#include "reports/run/replay.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "reports/cli/gate_request.hpp"
#include "reports/console/console.hpp"
#include "reports/console/row.hpp"
#include "reports/json/json.hpp"

namespace ulpgate::cli {
namespace {

Case read_case(const std::string& text) {
    Case c;
    const auto bad = parse(text, c);
    if (bad) throw UsageError(fmt::format("case, column {}: {}\n  {}\n  {:>{}}", bad->at + 1, bad->what, text, "^", bad->at + 1));
    return c;
}

int replay_run(const Arguments& a) {
    const auto style = style_for(one_of(a, "color", {"auto", "always", "never"}), STDOUT_FILENO);
    const auto rows = a.integer("columns", 8, 1, 65536);
    const Case c = read_case(a.operands[1]);
    if (const auto canonical = print(c); canonical != a.operands[1]) fmt::print(stderr, "canonical  {}\n", canonical);
    check_subject(a.operands[0]);
    const auto r = replay(a.operands[0], c, subject_options(a));
    switch (r.how) {
    case Replayed::How::judged: break;
    case Replayed::How::bad_case:
    case Replayed::How::no_entry: throw UsageError(r.what);
    case Replayed::How::other_tensors: fmt::print(stderr, "ulpgate: refused: {}\n", r.what); return 3;
    case Replayed::How::not_loaded: fmt::print(stderr, "ulpgate: {}: did not load: {}\n", a.operands[0], r.what); return 4;
    case Replayed::How::unavailable: fmt::print(stderr, "ulpgate: {}: SKIPPED: {}\n", a.operands[0], r.what); return 5;
    }
    if (a.has("json")) {
        fmt::print("{}", to_json(r.result));
        return r.result.exit;
    }
    fmt::print(stderr, "{}  {}, h={:016x}\n", style.dim("input  "), c.h ? "hash as in the case" : "the case gives no hash", r.hash);
    fmt::print("{}", result_text(r.result, style));
    const auto row = c.row >= 0 ? c.row : r.judgement.witness.row >= 0 ? r.judgement.witness.row : r.judgement.measure.worst.row;
    const auto column = row == r.judgement.witness.row ? r.judgement.witness.col : -1;
    fmt::print("{}", row_text(r.made.tensors, r.outcome, row, column, static_cast<int>(rows), style));
    return r.result.exit;
}

constexpr Flag flags[] = {
    {"columns", Takes::one, "N", "how many columns of the row to show, the worst first (default 8)"},
    {"json", Takes::nothing, "", "the result as JSON on stdout instead of text"},
    timeout_flag,
    child_env_flag,
    color_flag,
};

}  // namespace

PIECE(Verb, replay_case) = {"replay", "SUBJECT CASE", "run one case and show the row that it selects",
    "CASE is a line as gate prints it: OP/TYPE/D/key=value/... Its h= is the hash of the inputs; where they come out otherwise\n"
    "here, the replay is refused (exit 3). Exit codes as gate's.",
    flags, 2, 2, replay_run};

}  // namespace ulpgate::cli
