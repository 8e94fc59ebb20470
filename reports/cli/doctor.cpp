#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "impls/subject/subject.hpp"
#include "reports/cli/verb.hpp"
#include "reports/run/context.hpp"

namespace ulpgate::cli {
namespace {

struct Visit {
    int problems = 0;
    void good(std::string_view what, const std::string& text) { fmt::print("ok    {:<10} {}\n", what, text); }
    void bad(std::string_view what, const std::string& text, std::string_view hint) {
        ++problems;
        fmt::print("BAD   {:<10} {}\n      {:<10} {}\n", what, text, "", hint);
    }
    void note(std::string_view what, const std::string& text) { fmt::print("note  {:<10} {}\n", what, text); }
};

void look_at_kernels(const Arguments& a, Visit& v) {
    const auto names = built_in_subjects(a.home);
    if (names.empty()) {
        v.bad("kernels", fmt::format("none in {}/kernels", a.home), "build them: cmake --build --preset release, or ./run gate");
        return;
    }
    SubjectOptions options;
    options.home = a.home;
    bool spawned = false;
    for (const auto& name : names) {
        auto s = open_subject(name, options);
        const auto o = s->start();
        spawned |= o.event == Event::ok || o.event == Event::unavailable;
        if (o.event == Event::ok) v.good("kernel", fmt::format("{}{}{}", name, s->mode().empty() ? "" : ", mode ", s->mode()));
        else if (o.event == Event::unavailable) v.note("kernel", fmt::format("{}: SKIPPED: {}", name, o.what));
        else v.bad("kernel", fmt::format("{}: {}", name, o.what), "rebuild it, or see what ldd says about the file");
    }
    if (spawned) v.good("child", "ulpgate-child starts and loads");
}

int doctor_run(const Arguments& a) {
    auto c = machine_context();
    Visit v;
    v.good("version", fmt::format("ulpgate {}", c.version));
    v.good("machine", fmt::format("{} · {} cores · {}", c.machine, c.cores, c.cpu));
    v.good("system", c.system);
    v.good("compiler", fmt::format("{} {}", c.compiler, c.flags));
    if (c.ftz) v.bad("ftz", "this process flushes subnormals", "something set MXCSR before main: look at LD_PRELOAD");
    else v.good("ftz", "off");
    self_check(c, 4096, 7);
    if (c.self_check_failed)
        v.bad("oracle", fmt::format("self-check {}/{}: {}", c.self_check - c.self_check_failed, c.self_check, c.self_check_what),
              "do not trust this build: rebuild without extra flags, then report it");
    else v.good("oracle", fmt::format("self-check {}/{}", c.self_check, c.self_check));
    const auto child = a.home + "/ulpgate-child";
    if (::access(child.c_str(), X_OK) != 0) v.bad("child", child + " is not there or may not be run", "build it: cmake --build --preset release");
    look_at_kernels(a, v);
    const auto shipped = a.home + "/activations";
    if (std::error_code ec; std::filesystem::is_directory(shipped, ec)) v.good("input", "real activations in " + shipped);
    else v.note("input", "no real activations in " + shipped + ": gate runs on generated rows only, or give --activations FILE");
    if (c.isa != "avx512") v.note("isa", "no AVX-512: its kernel is SKIPPED here; its portable build is gated instead");
    fmt::print("{}\n", v.problems ? fmt::format("{} to put right", v.problems) : "all well");
    return v.problems ? 3 : 0;
}

}  // namespace

PIECE(Verb, doctor) = {"doctor", "", "look at machine, build, oracle, child process and kernels", "Exit: 0 all well, 3 something is to be put right.", {}, 0, 0, doctor_run};

}  // namespace ulpgate::cli
