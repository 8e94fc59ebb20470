#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "fuzz/campaign/campaign.hpp"
#include "reference/base/file.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/console/progress.hpp"
#include "reports/console/style.hpp"
#include "reports/run/interrupt.hpp"

namespace ulpgate::cli {
namespace {

using fuzzing::CampaignOptions;
using fuzzing::CampaignResult;
using fuzzing::Finding;
using fuzzing::State;

class OnScreen final : public fuzzing::CampaignWatcher {
  public:
    OnScreen(Progress::Kind kind, Style style) : kind_(kind), style_(style) {}
    void progress(const State& s, double rate) override {
        if (kind_ == Progress::Kind::none) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(kind_ == Progress::Kind::bar ? 200 : 1000)) return;
        last_ = now;
        fmt::print(stderr, "{}{} cases  {:.0f}/s  {} features  {} in the corpus  {} records  {} findings{}", kind_ == Progress::Kind::bar ? "\r\x1b[K" : "",
                   s.cases, rate, s.features.size(), s.corpus.size(), s.records.size(), s.findings.size(), kind_ == Progress::Kind::bar ? "" : "\n");
        std::fflush(stderr);
    }
    void found(const Finding& f) override {
        wipe();
        fmt::print(stderr, "{:>7.1f} s  {}  {}\n", f.seconds, style_.red(f.kind), f.diagnosis);
    }
    bool stop() override { return interrupted(); }
    void wipe() const {
        if (kind_ == Progress::Kind::bar) fmt::print(stderr, "\r\x1b[K");
    }

  private:
    Progress::Kind kind_;
    Style style_;
    std::chrono::steady_clock::time_point last_{};
};

std::string default_folder(const std::string& subject) {
    std::string s = "ulpgate-fuzz-";
    for (const char c : subject) s += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return s;
}

int not_run(const CampaignResult& r, const std::string& subject) {
    switch (r.how) {
    case CampaignResult::How::bad_folder:
    case CampaignResult::How::other_campaign: throw UsageError(r.what);
    case CampaignResult::How::not_loaded: fmt::print(stderr, "ulpgate: {}: did not load: {}\n", subject, r.what); return 4;
    case CampaignResult::How::unavailable: fmt::print(stderr, "ulpgate: {}: SKIPPED: {}\n", subject, r.what); return 5;
    default: fmt::print(stderr, "ulpgate: {}: SKIPPED: {}\n", subject, r.what); return 5;
    }
}

void print_finding(const Finding& f, const std::string& subject, const Style& style) {
    fmt::print("{}\n  {}\n", style.red(f.file()), f.diagnosis);
    if (!f.what.empty()) fmt::print("  {}\n", f.what);
    if (!f.reason.empty()) fmt::print("  {}\n", f.reason);
    for (const auto& l : f.lines) fmt::print("  {}\n", l);
    fmt::print("  seen after {:.1f} s, named {:.1f} s later\n", f.seconds, f.named_after);
    fmt::print("  {:<7} {}\n", "replay", style.bold(fmt::format("ulpgate replay {} {}", shell_word(subject), shell_word(f.line))));
}

void print_records(const State& s) {
    if (s.records.empty()) return;
    fmt::print("{:<44} {:>10} {:>10}\n", "largest errors that passed", "r ulp32", "ulp");
    for (const auto& [contract, r] : s.records) fmt::print("{:<44} {:>10.3f} {:>10.3f}\n", contract, r.r_ulp32, r.ulp);
}

int fuzz_run(const Arguments& a) {
    const auto color = one_of(a, "color", {"auto", "always", "never"});
    const auto progress = one_of(a, "progress", {"auto", "bar", "counter", "none"});
    const auto style = style_for(color, STDOUT_FILENO);
    check_subject(a.operands[0]);
    const CaseFilter filter = case_filter(a);
    CampaignOptions o;
    o.subject = a.operands[0];
    o.subject_options = subject_options(a);
    o.folder = a.text("o", default_folder(o.subject));
    o.seed = filter.seed;
    o.types = filter.types;
    o.d = filter.d;
    o.probes = filter.probes;
    o.count = a.integer("count", 0, 1, std::int64_t{1} << 50);
    o.seconds = a.number("time", o.count ? 1e9 : 60, 0.001, 1e9);
    o.jobs = static_cast<unsigned>(a.integer("jobs", machine_cores(), 1, 1024));
    o.most_findings = static_cast<std::size_t>(a.integer("findings", 0, 1, 100000));
    catch_interrupts();
    OnScreen screen(progress_kind(progress), style_for(color, STDERR_FILENO));
    const auto r = fuzzing::run_campaign(o, screen);
    screen.wipe();
    if (r.how != CampaignResult::How::ran) return not_run(r, o.subject);
    const State& s = r.state;
    if (a.has("for-regression"))
        if (const auto e = write_file(o.folder + "/regression.cases", fuzzing::regression_text(s.findings, s.mended, o.subject)); !e.empty()) throw UsageError(e);
    for (const auto& f : s.findings) print_finding(f, o.subject, style);
    for (const auto& f : s.mended)
        fmt::print("{}  failed in an earlier build, {}: {}\n", f.file(), f.unclaimed ? "and no entry of this one takes it" : "not in this one", f.diagnosis);
    if (!r.rebuilt.empty()) fmt::print("{}\n", r.rebuilt);
    print_records(s);
    for (const auto& l : r.left_out) fmt::print("left out: {}\n", l);
    const auto done = s.cases - r.cases_before;
    fmt::print("{} in {} cases ({} of them now, {:.0f}/s, {} refused), {} features, {:.1f} s, in {}\n",
               s.findings.empty() ? "nothing found" : fmt::format("{} found", s.findings.size()), s.cases, done,
               static_cast<double>(done) / std::max(r.seconds, 1e-9), s.refused, s.features.size(), r.seconds, o.folder);
    if (r.interrupted) return 130;
    if (s.cases == s.refused && s.findings.empty()) return 5;
    return s.findings.empty() ? 0 : 1;
}

constexpr Flag flags[] = {
    {"time", Takes::one, "SECONDS", "stop after so long (default 60)"},
    {"count", Takes::one, "N", "stop after so many cases, those of earlier runs included"},
    {"findings", Takes::one, "N", "stop at so many findings"},
    {"o", Takes::one, "DIR", "state and findings (default ulpgate-fuzz-SUBJECT); a campaign that lies there goes on"},
    {"seed", Takes::one, "N", "the same seed draws the same cases (default 7)"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "only these widths"},
    {"no-probes", Takes::nothing, "", "without the profiles that were built with the faults in mind"},
    {"for-regression", Takes::nothing, "", "write the reduced cases to DIR/regression.cases, a test for `ulpgate gate SUBJECT @FILE`"},
    {"jobs", Takes::one, "N", "how many processes at a time (default: one a core)"},
    timeout_flag,
    child_env_flag,
    color_flag,
    {"progress", Takes::one, "WHEN", "auto (default: a line on a terminal), bar, counter (a line a second), none"},
};

}  // namespace

PIECE(Verb, fuzz) = {"fuzz", "SUBJECT", "draw cases until one breaks the claim, name it and reduce it",
    "Finds outputs that the claim does not allow, NaN where none is due, crashes, hangs, corrupted memory, other bits from the\n"
    "same input. Each finding is repeated in a fresh process, named, told apart from the others by its name, reduced to a small\n"
    "case and written to DIR as KIND-<sha1>; `ulpgate gate @DIR/KIND-<sha1>` runs it again. A campaign that was interrupted or\n"
    "killed goes on where its state was last saved, with nothing lost and nothing done twice. Where the kernel was built again, what\n"
    "failed is run again first.\n"
    "Exit: 0 nothing found, 1 something, 2 usage, 4 the subject did not load, 5 skipped or everything refused, 130 interrupted.",
    flags, 1, 1, fuzz_run};

}  // namespace ulpgate::cli
