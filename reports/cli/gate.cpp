#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "impls/cuda/launch/description.hpp"
#include "impls/cuda/launch/images.hpp"
#include "reports/cli/baseline.hpp"
#include "reports/cli/budget_files.hpp"
#include "reports/cli/changed.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/cli/outputs.hpp"
#include "reports/console/console.hpp"
#include "reports/console/progress.hpp"
#include "reports/run/context.hpp"
#include "reports/run/interrupt.hpp"
#include "reports/run/runner.hpp"

namespace ulpgate::cli {
namespace {

class OnScreen final : public Watcher {
  public:
    OnScreen(Style style, Progress::Kind kind) : style_(style), progress_(kind) {}
    void planned(const Context& c, std::int64_t cases) override {
        fmt::print(stderr, "{}", context_text(c, style_));
        std::fflush(stderr);
        progress_.start(cases);
    }
    void done(std::string_view what) override { progress_.step(what); }
    void finish() { progress_.wipe(); }

  private:
    Style style_;
    Progress progress_;
};

int print_launch_template(const std::string& path) {
    try {
        fmt::print("{}", launch::launch_template(path, launch::ptx_image(path, "").ptx));
    } catch (const std::runtime_error& e) {
        throw UsageError(std::string_view(e.what()).starts_with(path) ? e.what() : fmt::format("{}: {}", path, e.what()));
    }
    return 0;
}

// A change that concerns no subject: said in every output, and no failure where the list itself says so.
int nothing_to_judge(const Outputs& outputs, const Concerned& c, const Style& style) {
    Result r;
    r.context = machine_context();
    r.notes = c.notes;
    r.exit = c.empty_list ? 5 : 0;
    fmt::print(outputs.people(), "{}", result_text(r, style));
    outputs.write(r);
    return r.exit;
}

int gate_run(const Arguments& given) {
    Arguments a = given;
    if (const auto ptx = a.text("launch-template"); !ptx.empty()) return print_launch_template(ptx);
    const auto color = one_of(a, "color", {"auto", "always", "never"});
    const auto progress = one_of(a, "progress", {"auto", "bar", "counter", "none"});
    const Outputs outputs(a);
    const auto changed = concerned_by(a);
    if (changed && changed->subjects.empty()) return nothing_to_judge(outputs, *changed, style_for(color, ::fileno(outputs.people())));
    if (changed) a.operands = changed->subjects;
    auto request = gate_request(a);
    Baseline baseline(a);
    baseline.add_to(request);
    auto limits = read_budgets(a);
    if (request.subjects.empty()) throw UsageError(fmt::format("no built-in kernels in {}/kernels: name a subject", a.home));

    catch_interrupts();
    OnScreen screen(style_for(color, STDERR_FILENO), progress_kind(progress));
    auto o = run(request, screen);
    screen.finish();
    if (!o.error.empty()) throw UsageError(o.error);
    auto& r = o.result;
    if (changed) r.notes.insert(r.notes.end(), changed->notes.begin(), changed->notes.end());
    baseline.take_from(r);
    update_budgets(a, limits, r);
    for (const auto& b : limits) apply(b, r);
    for (const auto& s : a.operands)
        for (auto& line : remarks_of(launched(a, s), a.home, a.list("arch"))) r.notes.push_back(std::move(line));
    if (r.claim_missing) r.notes.emplace_back("--require-claim: a subject that claims nothing is a usage error (exit 2); its contract was inferred above");
    r.exit = baseline.exit_of(r);

    // The table before the files: one that cannot be written loses nothing of it.
    fmt::print(outputs.people(), "{}", result_text(r, style_for(color, ::fileno(outputs.people()))));
    fmt::print(outputs.people(), "{}", baseline.text(r));
    std::fflush(stderr);
    outputs.write(r);
    if (o.stuck) std::_Exit(r.exit);
    return r.exit;
}

constexpr Flag flags[] = {
    {"op", Takes::list, "OP", "only these ops: final_norm, q_a_layernorm, kv_a_layernorm"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"contract", Takes::several, "TEXT", "hold the subject to this instead of its own claim: cast_first, bf16,f32_gain, ..."},
    {"profile", Takes::list, "NAME", "only these input profiles (ulpgate list profiles), or activations"},
    {"seed", Takes::one, "N", "of the generated inputs (default 7)"},
    {"rows", Takes::one, "N", "rows of each profile, 1,024 a case at most (a case line may have more); the share that ran is printed"},
    {"activations", Takes::one, "FILE", "rows and gains from safetensors instead of the bundled ones"},
    budget_flag,
    update_budget_flag,
    allow_loosen_flag,
    {"quick", Takes::nothing, "", "a part of the rows; the share that ran is printed"},
    {"no-explain", Takes::nothing, "", "without naming what fails by rows built for it, and without reducing it"},
    {"no-probes", Takes::nothing, "", "without the profiles that were built with the faults in mind"},
    changed_list_flag,
    against_flag,
    baseline_flag,
    fail_on_flag,
    json_flag,
    junit_flag,
    markdown_flag,
    sarif_flag,
    html_flag,
    annotations_flag,
    {"require-claim", Takes::nothing, "", "a subject that claims nothing is a usage error"},
    {"arch", Takes::list, "ARCH", "of kernels in PTX: sm_80, sm_90 (default: both of the built-in ones; a file's own)"},
    {"launch", Takes::one, "FILE", "how the kernels of KERNEL.ptx are called (TOML, ulpgate.launch/1)"},
    {"launch-template", Takes::one, "PTX", "print a starting launch description for the kernels of a PTX file, and do nothing else"},
    {"jobs", Takes::one, "N", "how many processes at a time (default: one a core)"},
    timeout_flag,
    child_env_flag,
    color_flag,
    {"progress", Takes::one, "WHEN", "auto (default: a bar on a terminal), bar, counter, none"},
};

}  // namespace

PIECE(Verb, gate) = {"gate", "[SUBJECT...]", "judge kernels against what they claim",
    "SUBJECT: a built-in kernel (scalar), PATH[@VARIANT] of a shared library, byhand/NAME, model/TEXT, faulty/KIND, files:DIR,\n"
    "ptx (the built-in CUDA kernels), FILE.toml (kernels in PTX) or FILE.ptx with --launch.\n"
    "None: the built-in kernels that this machine runs. @FILE: a case, or a subject and a case, a line, as replay prints them.\n"
    "A subject that crashes or hangs is a verdict; the rest of the run goes on. What could not run is SKIPPED with its reason;\n"
    "required = [\"NAME\", ...] in ulpgate.toml makes that fatal.",
    flags, 0, any_number, gate_run};

}  // namespace ulpgate::cli
