#include "reports/run/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "reports/run/context.hpp"
#include "reports/run/group.hpp"
#include "reports/run/interrupt.hpp"

namespace ulpgate {
namespace {

std::vector<Group> run_groups(const Plan& plan, const RunRequest& r, Watcher& watcher, bool& complete) {
    std::vector<Group> groups(plan.groups.size());
    std::vector<char> done(plan.groups.size(), 0);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t k; (k = next++) < plan.groups.size() && !interrupted();) {
            groups[k] = run_group(plan.groups[k], r.options, watcher);
            done[k] = 1;
        }
    };
    std::vector<std::thread> workers;
    for (unsigned k = 1; k < std::min<std::size_t>(r.jobs, plan.groups.size()); ++k) workers.emplace_back(work);
    work();
    for (auto& w : workers) w.join();
    complete = !interrupted();
    std::vector<Group> out;
    for (std::size_t k = 0; k < groups.size(); ++k)
        if (done[k] && (groups[k].cases || !groups[k].failures.empty() || complete)) out.push_back(std::move(groups[k]));
    return out;
}

}  // namespace

RunOutcome run(const RunRequest& r, Watcher& watcher) {
    const auto began = std::chrono::steady_clock::now();
    RunOutcome o;
    o.result.context = machine_context();
    o.result.context.seed = r.filter.seed;
    self_check(o.result.context, r.self_check, r.filter.seed);
    if (!o.result.context.self_check_failed) {
        const auto plan = make_plan(r, o.result);
        if (!plan.error.empty()) return {plan.error, {}};
        if (plan.default_rows) o.result.context.share = std::min(1.0, static_cast<double>(plan.rows) / static_cast<double>(plan.default_rows));
        watcher.planned(o.result.context, plan.cases);
        o.result.groups = run_groups(plan, r, watcher, o.result.complete);
    } else {
        watcher.planned(o.result.context, 0);
    }
    if (r.require_claim)
        for (const auto& g : o.result.groups) o.result.claim_missing |= g.inferred;
    for (const auto& name : r.required)
        if (std::none_of(r.subjects.begin(), r.subjects.end(), [&](const Wanted& w) { return w.subject == name; }))
            o.result.skipped.push_back({name, "not among the subjects of this run", true});
    o.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    o.result.exit = exit_of(o.result);
    return o;
}

}  // namespace ulpgate
