#include "reports/cli/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/cli/gate_request.hpp"
#include "reports/diff/diff.hpp"
#include "reports/json/json.hpp"

namespace ulpgate::cli {

Baseline::Baseline(const Arguments& a) : old_subject_(a.text("against")), file_(a.text("baseline")), fail_on_(one_of(a, "fail-on", {"over", "new", "never"})) {
    if (!old_subject_.empty() && !file_.empty()) throw UsageError("--against and --baseline: one of them is what the run is compared with");
    if (fail_on_ == "new" && old_subject_.empty() && file_.empty()) throw UsageError(fmt::format("{}: 'new' needs --against OLD or --baseline FILE.json", a.where("fail-on")));
    if (!old_subject_.empty()) check_subject(old_subject_);
    if (file_.empty()) return;
    auto read = read_run(file_);
    if (!read.error.empty()) throw UsageError(fmt::format("{}: {}", a.where("baseline"), read.error));
    before_ = std::move(read.result);
}

void Baseline::add_to(RunRequest& request) {
    if (old_subject_.empty()) return;
    if (request.subjects.size() != 1) throw UsageError(fmt::format("--against {}: beside one subject, {} are given", old_subject_, request.subjects.size()));
    new_subject_ = request.subjects[0].subject;
    if (new_subject_ == old_subject_) throw UsageError(fmt::format("--against {}: is the subject itself", old_subject_));
    request.subjects.push_back({old_subject_, request.subjects[0].lines});
}

void Baseline::take_from(Result& r) {
    if (old_subject_.empty()) return;
    before_ = Result{};
    before_->context = r.context;
    before_->complete = r.complete;
    const auto of_old = [&](const Group& g) { return g.subject == old_subject_; };
    for (const auto& g : r.groups)
        if (of_old(g)) {
            before_->groups.push_back(g);
            before_->groups.back().subject = new_subject_;  // the same kernel, earlier
        }
    std::erase_if(r.groups, of_old);
    std::erase_if(r.subjects, [&](const SubjectInfo& s) { return s.text == old_subject_; });
    if (before_->groups.empty()) r.notes.push_back(fmt::format("--against {}: nothing of it was judged", old_subject_));
}

std::string Baseline::text(const Result& r) const {
    if (!before_) return "";
    const auto d = diff_runs(to_json(*before_), name(), to_json(r), "this");
    return d.error.empty() ? diff_text(d, name(), "this") : d.error + "\n";
}

int Baseline::exit_of(const Result& r) const {
    const int code = ulpgate::exit_of(r);
    if (code != 1 || fail_on_ == "over") return code;
    if (fail_on_ == "never") return 0;
    return diff_runs(to_json(*before_), name(), to_json(r), "this").worse ? code : 0;
}

}  // namespace ulpgate::cli
