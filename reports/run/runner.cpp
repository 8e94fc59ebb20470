#include "reports/run/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "reports/run/context.hpp"
#include "reports/run/group.hpp"
#include "reports/run/interrupt.hpp"
#include "reports/run/merge.hpp"

namespace ulpgate {
namespace {

constexpr auto grace = std::chrono::milliseconds(1500);  // after an interrupt, for the cases in work

struct Work {  // outlives a thread that hangs
    Plan plan;
    SubjectOptions options;
    Watcher& watcher;
    std::vector<Published> groups;
    std::atomic<std::size_t> next{0}, working{0};
};

void work(const std::shared_ptr<Work>& w) {
    for (std::size_t k; (k = w->next++) < w->plan.groups.size() && !interrupted();) run_group(w->plan.groups[k], w->options, w->watcher, w->groups[k]);
    --w->working;
}

// Groups in the plan's order; true where a thread still hangs.
bool run_groups(Plan plan, const RunRequest& r, Watcher& watcher, Result& result) {
    const auto n = plan.groups.size();
    for (GroupPlan& g : plan.groups) g.explain = r.explain;
    const auto w = std::make_shared<Work>(std::move(plan), r.options, watcher, std::vector<Published>(n));
    std::vector<std::thread> threads;
    if (!r.jobs) {
        w->working = 1;
        work(w);
    }
    w->working = std::min<std::size_t>(r.jobs, n);
    for (std::size_t k = w->working; k-- > 0;) threads.emplace_back([w] { work(w); });
    auto waited = std::chrono::milliseconds(0);
    while (w->working && waited < grace) {
        constexpr auto step = std::chrono::milliseconds(5);
        std::this_thread::sleep_for(step);
        if (interrupted()) waited += step;
    }
    const bool stuck = w->working != 0;
    for (auto& t : threads) stuck ? t.detach() : t.join();
    result.complete = !interrupted();
    for (const auto& p : w->groups) {
        auto g = p.get();
        if (g.subject.empty()) continue;  // not begun
        conclude(g);
        result.groups.push_back(std::move(g));
    }
    return stuck;
}

}  // namespace

RunOutcome run(const RunRequest& r, Watcher& watcher) {
    const auto began = std::chrono::steady_clock::now();
    RunOutcome o;
    o.result.context = machine_context();
    o.result.context.seed = r.filter.seed;
    self_check(o.result.context, r.self_check, r.filter.seed);
    if (!o.result.context.self_check_failed) {
        auto plan = make_plan(r, o.result);
        if (!plan.error.empty()) return {plan.error, {}, false};
        if (plan.default_rows) o.result.context.share = std::min(1.0, static_cast<double>(plan.rows) / static_cast<double>(plan.default_rows));
        watcher.planned(o.result.context, plan.cases);
        o.stuck = run_groups(std::move(plan), r, watcher, o.result);
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
