#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "reports/cli/gate_request.hpp"
#include "reports/console/console.hpp"
#include "reports/demo/allclose.hpp"
#include "reports/demo/randn.hpp"
#include "reports/run/runner.hpp"

namespace ulpgate::cli {
namespace {

constexpr std::string_view kernels[] = {"gain_before_cast", "rstd_bf16", "eps_outside", "dropped_tail", "f32_gain", "right"};
constexpr double tolerance = 1e-2;

class Quiet final : public Watcher {
  public:
    void planned(const Context&, std::int64_t) override {}
    void done(std::string_view) override {}
};

// What the usual test says of the kernel's own outputs.
std::string usual_test(const std::string& subject, const RunRequest& request) {
    auto s = open_subject(subject, request.options);
    if (const auto started = s->start(); started.event != Event::ok) return "not run: " + started.what;
    Claim claim;
    std::size_t entry = 0;
    while (entry < s->entries().size() && (parse(s->entries()[entry].contract, claim) || claim[0].x != Type::bf16)) ++entry;
    if (entry == s->entries().size()) return "not run: no bf16 entry";
    const auto t = randn(*find_op("q_a_layernorm"), claim[0], 256, 1536, request.filter.seed);
    const auto o = s->run(entry, t);
    if (o.event != Event::ok) return "not run: " + o.what;
    const auto a = all_close(t, o, tolerance, tolerance);
    return fmt::format("{} ({:.0f} % of the tolerance)", a.close ? "True " : "False", 100 * a.largest);
}

std::string first_words(const Group& g) {
    if (!g.names.empty()) {
        std::string s;
        for (const auto& e : g.explained) s += (s.empty() ? "" : " or ") + e;
        return s;
    }
    if (const auto c = computes(g); !c.empty()) return fmt::format("{}: {}", print(c[0], false), formula(c[0]));
    return g.failures.empty() ? "" : "unknown: " + (g.failures[0].reason.empty() ? g.failures[0].what : g.failures[0].reason);
}

int demo_run(const Arguments& a) {
    const auto style = style_for(one_of(a, "color", {"auto", "always", "never"}), STDOUT_FILENO);
    const auto began = std::chrono::steady_clock::now();
    RunRequest request;
    request.options.home = a.home;
    request.filter.ops = {"q_a_layernorm"};
    request.filter.types = {"bf16"};
    request.filter.seed = a.word("seed", default_seed);
    request.filter.rows = 16;
    request.jobs = machine_cores();
    for (auto k : kernels) request.subjects.push_back({fmt::format("byhand/{}", k), {}});
    Quiet quiet;
    const auto o = run(request, quiet);
    if (!o.error.empty()) throw UsageError(o.error);
    if (o.result.context.self_check_failed) throw std::runtime_error("oracle self-check: " + o.result.context.self_check_what);

    fmt::print("{}\n", style.bold(fmt::format("{:<18} {:<38} {}", "kernel", fmt::format("allclose(atol={0}, rtol={0})", tolerance), "ulpgate")));
    bool as_expected = true;
    for (const auto& w : request.subjects) {
        const auto name_only = w.subject.substr(w.subject.find('/') + 1);
        fmt::print("{:<18} {:<38} ", name_only, usual_test(w.subject, request));
        const Group* worst = nullptr;
        for (const auto& g : o.result.groups)
            if (g.subject == w.subject && (!worst || gravity(g.verdict) > gravity(worst->verdict))) worst = &g;
        if (!worst) {
            as_expected = false;
            fmt::print("{}\n", style.red("did not run"));
        } else if (fails(worst->verdict)) {
            fmt::print("{}  {}\n", style.red(fmt::format("is not {}", print(worst->claim, false))), first_words(*worst));
        } else {
            fmt::print("{}  {}: {}{}\n", style.green(name(worst->verdict)), print(worst->claim, false), formula(worst->claim[0]),
                       worst->inferred ? " (claims nothing: inferred)" : "");
        }
        std::fflush(stdout);
    }
    fmt::print("{:<18} {}\n", "yours:", style.bold("./run new rmsnorm.c"));
    fmt::print(stderr, "{:.1f} s; more of any of them: ./run gate byhand/NAME\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    return as_expected ? 0 : 3;
}

constexpr Flag flags[] = {{"seed", Takes::one, "N", "of the inputs (default 7)"}, color_flag};

}  // namespace

PIECE(Verb, demo) = {"demo", "", "six kernels: what allclose says and what ulpgate says",
    "Four faulty kernels, one that rounds once (f32_gain) and a right one, each in C under impls/byhand. allclose compares them with\n"
    "the formula in float32 on Gaussian rows, as most tests do.",
    flags, 0, 0, demo_run};

}  // namespace ulpgate::cli
