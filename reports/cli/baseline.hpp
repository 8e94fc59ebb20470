// A gate beside what was before: another subject judged in the same job on the same machine (--against), or a run that was kept
// (--baseline). What of it decides the exit code is --fail-on's.
#pragma once
#include <optional>
#include <string>

#include "reports/cli/verb.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate::cli {

inline constexpr Flag against_flag{"against", Takes::one, "OLD", "judge this subject too and say what changed from it: no stored run, no other CPU"};
inline constexpr Flag baseline_flag{"baseline", Takes::one, "FILE.json", "say what changed since this run of gate --json"};
inline constexpr Flag fail_on_flag{"fail-on", Takes::one, "WHAT",
                                   "over (default): any failure; new: only what is worse than --against or --baseline; never: a failing kernel exits 0"};

class Baseline {
  public:
    // Reads the flags and the file: a UsageError where it is unreadable, or where there is nothing to compare with.
    explicit Baseline(const Arguments&);
    // --against: its subject beside the one that is gated.
    void add_to(RunRequest&);
    // Takes the old subject's rows out of the result.
    void take_from(Result&);
    // What changed, for people; "" without a baseline.
    std::string text(const Result&) const;
    // A failing kernel's exit code (1) as --fail-on has it; every other stays.
    int exit_of(const Result&) const;

  private:
    std::string old_subject_, new_subject_, file_, fail_on_;
    std::optional<Result> before_;
    std::string name() const { return old_subject_.empty() ? file_ : old_subject_; }
};

}  // namespace ulpgate::cli
