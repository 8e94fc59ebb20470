#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "impls/cuda/probe/probe.hpp"
#include "impls/subject/subject.hpp"
#include "reference/base/file.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/cli/verb.hpp"
#include "reports/mutants/mutants.hpp"
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

int mutants_run(const Arguments& a) {
    MutantPlan plan{{}, {}, a.has("sample"), static_cast<int>(a.integer("jobs", machine_cores(), 1, 1024)), a.home};
    constexpr Type types[] = {Type::bf16, Type::fp16, Type::f32};
    for (const auto& t : a.list("type")) {
        const auto found = std::find_if(std::begin(types), std::end(types), [&](Type k) { return name(k) == t; });
        if (found == std::end(types)) throw UsageError(fmt::format("{}: no type '{}': bf16, fp16, f32", a.where("type"), t));
        plan.types.push_back(*found);
    }
    if (plan.types.empty()) plan.types.assign(std::begin(types), std::end(types));
    for (const auto& d : a.list("d")) {
        char* end = nullptr;
        plan.d.push_back(std::strtoll(d.c_str(), &end, 10));
        if (*end || plan.d.back() < 64 || plan.d.back() > 65536) throw UsageError(fmt::format("{}: '{}' is no width from 64 to 65536", a.where("d"), d));
    }
    if (plan.d.empty()) plan.d = plan.sample ? std::vector<std::int64_t>{385} : std::vector<std::int64_t>{512, 1536, 1537, 7168};
    const bool terminal = ::isatty(STDERR_FILENO);
    const auto r = measure_mutants(plan, [&](std::size_t done, std::size_t of) {
        if (terminal) fmt::print(stderr, "\r{} of {}{}", done, of, done == of ? "\n" : "");
    });
    if (!r.error.empty()) throw UsageError(r.error);
    fmt::print("{}", mutants_text(r));
    if (const auto file = a.text("markdown"); !file.empty())
        if (const auto bad = write_file(file, mutants_markdown(r)); !bad.empty()) throw UsageError(bad);
    const auto all = floors(r);
    return std::all_of(all.begin(), all.end(), [](const Floor& f) { return f.held; }) ? 0 : 3;
}

void write_table(const cuda::ProbeResult& r, const cuda::Table& t, const std::string& folder) {
    std::vector<std::uint8_t> packed;
    const auto name = fmt::format("{}/{}.{}.bin", folder, t.instruction.substr(0, t.instruction.find('_')), r.arch);
    if (const auto wrong = cuda::pack(t, packed); !wrong.empty()) return void(fmt::print("note  {:<10} {} is not written: {}\n", "table", name, wrong));
    if (const auto wrong = write_file(name, {reinterpret_cast<const char*>(packed.data()), packed.size()}); !wrong.empty()) throw UsageError(wrong);
    fmt::print("ok    {:<10} {}: {} bytes, 4 deltas a byte\n", "table", name, packed.size());
}

// What only a GPU can answer. Without one: why, and exit 5.
int ask_gpu(const Arguments& a) {
    const auto folder = a.text("tables");
    if (std::error_code ec; !folder.empty() && !std::filesystem::is_directory(folder, ec)) throw UsageError(fmt::format("--tables: {} is no folder", folder));
    try {
        const auto r = cuda::probe(a.home + "/kernels/cuda", ~0u);
        if (!r.unavailable.empty()) {
            fmt::print("note  {:<10} SKIPPED: {}\n", "gpu", r.unavailable);
            return 5;
        }
        fmt::print("ok    {:<10} {}, {}, driver {}.{}\n", "gpu", r.card, r.arch, r.driver / 1000, r.driver % 1000 / 10);
        for (const auto& line : cuda::findings(r)) fmt::print("ok    {:<10} {}\n", "gpu", line);
        for (const auto& t : r.tables)
            if (!folder.empty()) write_table(r, t, folder);
        return 0;
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& e) {
        fmt::print("BAD   {:<10} {}\n", "gpu", e.what());
        return 3;
    }
}

int doctor_run(const Arguments& a) {
    if (a.has("mutants")) return mutants_run(a);
    if (a.has("gpu")) return ask_gpu(a);
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

constexpr Flag flags[] = {
    {"gpu", Takes::nothing, "", "ask the GPU what no document says: words of rsqrt and rcp, flushing, how far down a tensor core keeps bits"},
    {"tables", Takes::one, "DIR", "with --gpu: write those words as deltas from the correctly rounded ones, 4 a byte"},
    {"mutants", Takes::nothing, "", "measure how well faults are named: each listed one under foreign arithmetics, none, and unlisted ones by hand"},
    {"sample", Takes::nothing, "", "of --mutants: each fault under one arithmetic a type, d = 385, instead of under all"},
    {"d", Takes::list, "D", "of --mutants: these widths (default 512, 1536, 1537, 7168)"},
    {"type", Takes::list, "TYPE", "of --mutants: these types (default bf16, fp16, f32)"},
    {"jobs", Takes::one, "N", "of --mutants: threads (default: every core)"},
    {"markdown", Takes::one, "FILE", "of --mutants: the whole table, cell by cell where one is not named alone"},
};

}  // namespace

PIECE(Verb, doctor) = {"doctor", "", "look at machine, build, oracle, child process and kernels; --mutants: measure how well faults are named",
    "Exit: 0 all well, 3 something is to be put right (--mutants: a floor is not met), 5 --gpu and there is none.", flags, 0, 0, doctor_run};

}  // namespace ulpgate::cli
