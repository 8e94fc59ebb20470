#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "reports/mutants/mutants.hpp"

namespace ulpgate {
namespace {

using Task = std::function<void()>;

void run_all(const std::vector<Task>& tasks, int jobs, const std::function<void(std::size_t, std::size_t)>& progress) {
    std::atomic<std::size_t> next{0}, done{0};
    std::mutex shown;
    std::vector<std::thread> threads;
    for (int k = 0; k < std::max(1, jobs); ++k)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < tasks.size(); i = next++) {
                tasks[i]();
                const std::lock_guard lock(shown);
                progress(++done, tasks.size());
            }
        });
    for (auto& t : threads) t.join();
}

std::vector<Truth> truths(const std::string& home, std::string& error) {
    std::vector<std::string> paths;
    std::error_code none;
    for (const auto& f : std::filesystem::directory_iterator(home + "/kernels/byhand", none))
        if (f.path().extension() == ".toml") paths.push_back(f.path().string());
    std::sort(paths.begin(), paths.end());
    std::vector<Truth> out;
    for (const auto& p : paths) {
        out.push_back(read_truth(p));
        if (!out.back().error.empty()) error = out.back().error;
    }
    if (out.empty()) error = home + "/kernels/byhand: no sidecars of kernels by hand: build them (cmake --build --preset dev)";
    return out;
}

}  // namespace

MutantReport measure_mutants(const MutantPlan& plan, const std::function<void(std::size_t, std::size_t)>& progress) {
    MutantReport out;
    out.d = plan.d, out.jobs = plan.jobs, out.sample = plan.sample;
    const auto kernels = truths(plan.home, out.error);
    if (!out.error.empty()) return out;
    const auto began = std::chrono::steady_clock::now();
    std::vector<Task> tasks;
    const auto foreign = foreign_arithmetics();
    std::size_t turn = 0;
    const auto each_arithmetic = [&](auto&& put) {
        if (plan.sample) return put(foreign[turn++ % foreign.size()]);
        for (const ForeignArithmetic& a : foreign) put(a);
    };
    std::mutex kept;
    const auto keep = [&kept](auto& into, auto&& what) {
        const std::lock_guard lock(kept);
        into.push_back(std::forward<decltype(what)>(what));
    };
    for (const std::int64_t d : plan.d)
        for (const Type t : plan.types) {
            for (const Fault* f : faults::all())
                each_arithmetic([&](const ForeignArithmetic& a) { tasks.push_back([&, f, t, d, a] { keep(out.faults, name_mutant(f, a, t, d)); }); });
            for (const auto contract : honest_contracts())
                each_arithmetic([&](const ForeignArithmetic& a) { tasks.push_back([&, contract, t, d, a] { keep(out.honest, name_mutant(nullptr, a, t, d, contract)); }); });
        }
    for (const Truth& truth : kernels)
        for (const std::int64_t d : plan.d)
            tasks.push_back([&, d] {
                SubjectOptions options;
                options.home = plan.home;
                const auto subject = open_subject(truth.subject, options);
                for (auto& k : score_kernel(truth, *subject, d)) keep(out.byhand, std::move(k));
            });
    run_all(tasks, plan.jobs, progress);
    const auto cell = [](const MutantCell& c) { return std::tuple(c.kind, c.contract, c.d, c.type, c.arithmetic); };
    const auto kernel = [](const ScoredKernel& k) { return std::tuple(k.subject, k.d, k.contract); };
    const auto by = [](auto key) { return [key](const auto& a, const auto& b) { return key(a) < key(b); }; };
    std::sort(out.faults.begin(), out.faults.end(), by(cell));
    std::sort(out.honest.begin(), out.honest.end(), by(cell));
    std::sort(out.byhand.begin(), out.byhand.end(), by(kernel));
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return out;
}

}  // namespace ulpgate
