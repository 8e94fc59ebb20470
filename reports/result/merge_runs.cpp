#include "reports/result/merge_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpgate {
namespace {

bool same(const Group& a, const Group& b) { return a.subject == b.subject && a.op == b.op && a.type == b.type && a.claim == b.claim && a.inferred == b.inferred; }

template <class T>
void add_new(std::vector<T>& to, const std::vector<T>& from) {
    for (const auto& v : from)
        if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
}

void merge_cells(Group& to, const Group& from) {
    for (const auto& c : from.cells) {
        const auto it = std::find_if(to.cells.begin(), to.cells.end(), [&](const Cell& o) { return o.d == c.d && o.profile == c.profile; });
        if (it == to.cells.end()) {
            to.cells.push_back(c);
            continue;
        }
        if (c.measure.worst_ulp > it->measure.worst_ulp) it->line = c.line;
        it->measure.merge(c.measure);
    }
}

void merge_group(Group& to, const Group& from) {
    if (from.whole.measure.worst_ulp > to.whole.measure.worst_ulp) to.worst_line = from.worst_line;
    merge(to.whole, from.whole);
    merge_cells(to, from);
    for (auto n : {&Group::cases, &Group::passed_cases, &Group::failing_cases, &Group::refused_cases, &Group::unreadable_cases, &Group::other_tensors_cases})
        to.*n += from.*n;
    add_new(to.d, from.d);
    for (const auto& f : from.failures)  // one a verdict is enough
        if (std::none_of(to.failures.begin(), to.failures.end(), [&](const Failure& o) { return o.verdict == f.verdict; })) to.failures.push_back(f);
    std::sort(to.failures.begin(), to.failures.end(), [](const Failure& a, const Failure& b) { return gravity(a.verdict) > gravity(b.verdict); });
    add_new(to.findings, from.findings);
    if (gravity(from.verdict) > gravity(to.verdict) || !fails(to.verdict)) {
        if (fails(from.verdict)) {
            to.names = from.names, to.explained = from.explained, to.unknown = from.unknown, to.excluded = from.excluded, to.fix = from.fix;
            to.known = from.known;
        }
    }
    for (const auto& l : from.limits) {
        const auto it = std::find_if(to.limits.begin(), to.limits.end(), [&](const LimitResult& o) { return o.where == l.where && o.quantity == l.quantity; });
        if (it == to.limits.end()) to.limits.push_back(l);
        else if (l.measured > it->measured) *it = l;
    }
    const bool passes = to.verdict == Verdict::pass || from.verdict == Verdict::pass;
    to.verdict = gravity(from.verdict) > gravity(to.verdict) ? from.verdict : to.verdict;
    if (passes && !fails(to.verdict)) to.verdict = Verdict::pass;  // what one part could not tell, the other did
    to.seconds += from.seconds;
}

}  // namespace

void merge_runs(Result& run, const Result& more) {
    const auto machine = [](const Context& c) { return fmt::format("{} {}, {} {}", c.machine, c.cpu, c.compiler, c.flags); };
    if (machine(run.context) != machine(more.context)) add_new(run.notes, {fmt::format("a part ran on {}", machine(more.context))});
    run.context.self_check += more.context.self_check;
    run.context.self_check_failed += more.context.self_check_failed;
    if (run.context.self_check_what.empty()) run.context.self_check_what = more.context.self_check_what;
    run.context.share = std::min(1.0, std::max(run.context.share, more.context.share));
    for (const auto& s : more.subjects)
        if (std::none_of(run.subjects.begin(), run.subjects.end(), [&](const SubjectInfo& o) { return o.text == s.text; })) run.subjects.push_back(s);
    for (const auto& g : more.groups) {
        const auto it = std::find_if(run.groups.begin(), run.groups.end(), [&](const Group& o) { return same(o, g); });
        if (it == run.groups.end()) run.groups.push_back(g);
        else merge_group(*it, g);
    }
    run.stages.insert(run.stages.end(), more.stages.begin(), more.stages.end());
    run.eps.insert(run.eps.end(), more.eps.begin(), more.eps.end());
    for (const auto& m : more.maxima) {
        const bool there = std::any_of(run.maxima.begin(), run.maxima.end(), [&](const Maximum& o) {
            return o.subject == m.subject && o.quantity == m.quantity && o.count == m.count && o.line == m.line && o.value == m.value;
        });
        if (!there) run.maxima.push_back(m);
    }
    for (const auto& s : more.skipped) {
        const auto it = std::find_if(run.skipped.begin(), run.skipped.end(), [&](const Skipped& o) { return o.subject == s.subject; });
        if (it == run.skipped.end()) run.skipped.push_back(s);
        else it->required |= s.required;
    }
    for (const auto& n : more.not_loaded)
        if (std::none_of(run.not_loaded.begin(), run.not_loaded.end(), [&](const NotLoaded& o) { return o.subject == n.subject && o.reason == n.reason; }))
            run.not_loaded.push_back(n);
    add_new(run.notes, more.notes);
    run.complete &= more.complete;
    run.claim_missing |= more.claim_missing;
    run.seconds += more.seconds;
    run.exit = exit_of(run);
}

}  // namespace ulpgate
