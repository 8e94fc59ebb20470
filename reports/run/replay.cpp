#include "reports/run/replay.hpp"

#include <fmt/format.h>

#include <chrono>

#include "reports/run/context.hpp"
#include "reports/run/merge.hpp"
#include "reports/run/names.hpp"

namespace ulpgate {
namespace {

std::string entry_list(const std::vector<EntryInfo>& entries) {
    std::string s;
    for (const auto& e : entries) s += (s.empty() ? "" : "; ") + e.contract;
    return s;
}

}  // namespace

Replayed replay(const std::string& subject, const Case& c, const SubjectOptions& options) {
    const auto began = std::chrono::steady_clock::now();
    Replayed r;
    r.made = make(c);
    if (!r.made.error.empty()) return r.how = Replayed::How::bad_case, r.what = r.made.error, r;
    r.hash = r.made.tensors.hash();
    if (c.h && c.h != r.hash) {
        r.how = Replayed::How::other_tensors;
        r.what = fmt::format("the case says h={:016x}, its tensors made here have h={:016x}: another generator version, an edited line or another file",
                             c.h, r.hash);
        return r;
    }
    auto s = open_subject(subject, options);
    const auto started = s->start();
    if (started.event == Event::unavailable) return r.how = Replayed::How::unavailable, r.what = started.what, r;
    if (started.event != Event::ok) return r.how = Replayed::How::not_loaded, r.what = started.what, r;
    const auto entry = entry_for(s->entries(), find_op(c.op)->abi, c.claim);
    if (!entry) {
        r.how = Replayed::How::no_entry;
        r.what = fmt::format("{}: no entry for {} {}; it has {}", subject, c.op, print(c.claim), entry_list(s->entries()));
        return r;
    }
    r.outcome = s->run(*entry, r.made.tensors);
    r.judgement = judge(r.made.tensors, r.outcome, c.claim);

    Group g;
    g.subject = subject;
    g.op = c.op;
    g.type = c.claim[0].x;
    g.claim = c.claim;
    g.verdict = r.judgement.verdict;
    merge(g, {c, r.hash, r.judgement});
    if (fails(g.verdict)) {
        const auto& j = r.judgement;
        Failure f{j.verdict, j.incoherent, j.what, j.reason, j.witness, line_of(c, r.hash, j.witness.row), {}, r.made.tensors.contract};
        f.replay = {"ulpgate", "replay", subject, f.line};
        g.failures.push_back(f);
        if (g.verdict == Verdict::inadmissible) name_failure(g, {{r.made.tensors, r.outcome, j.witness.row}});
    }
    conclude(g);
    r.result.context = machine_context();
    r.result.subjects.push_back({subject, s->name(), s->version(), s->mode()});
    r.result.groups.push_back(std::move(g));
    r.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    r.result.exit = exit_of(r.result);
    return r;
}

}  // namespace ulpgate
