// The long check as a program: see README.md beside it.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "properties/long_check/draw.hpp"
#include "properties/long_check/record.hpp"
#include "reference/base/file.hpp"
#include "reference/base/text.hpp"

namespace {

using namespace ulpgate;
using namespace ulpgate::long_check;

constexpr std::string_view usage = R"(ulpgate-long-check: models that honour their contract, by the hundred million; none may be inadmissible

  --elements N    go on until the record holds N judged outputs (default 100000000)
  --seconds S     stop after S seconds, whatever is done; the next run goes on from there
  --record FILE   JSON; read first if it exists, written every ten seconds and at the end (default: none)
  --commit TEXT   noted in a new record; a record of another commit is refused
  --task N        run this one task, say what it is and what was found

Exit: 0 nothing found; 1 something was; 2 usage, or a record that cannot be read or written.
)";

struct Options {
    std::int64_t elements = 100'000'000, seconds = 0, task = -1;
    std::string record, commit;
};

// "" or what is wrong.
std::string read_options(int argc, char** argv, Options& o) {
    for (int k = 1; k < argc; ++k) {
        const std::string_view flag = argv[k];
        if (flag == "--help" || flag == "-h") return "help";
        const std::string value = k + 1 < argc ? argv[++k] : "";
        std::int64_t* number = flag == "--elements" ? &o.elements
                               : flag == "--seconds" ? &o.seconds
                               : flag == "--task"    ? &o.task
                                                     : nullptr;
        if (number) {
            if (!parse_integer(value, *number) || *number < 0)
                return fmt::format("{} needs a whole number from 0, not '{}'", flag, value);
        } else if (flag == "--record" || flag == "--commit") {
            if (value.empty()) return fmt::format("{} needs a value", flag);
            (flag == "--record" ? o.record : o.commit) = value;
        } else {
            return fmt::format("no flag '{}'; --help lists them", flag);
        }
    }
    return "";
}

int fail(const std::string& what) {
    fmt::print(stderr, "ulpgate-long-check: {}\n", what);
    return 2;
}

int one_task(std::int64_t index) {
    Record r;
    r.tasks = static_cast<std::uint64_t>(index);
    const Task t = draw(r.tasks);
    r.step();
    fmt::print("case   {}\nmodel  {}\n", t.line, t.model);
    for (const Finding& f : r.findings) fmt::print("found  {}\n", f.what);
    if (r.findings.empty()) fmt::print("admissible\n");
    return r.findings.empty() ? 0 : 1;
}

// "" or what is wrong with an existing record.
std::string go_on_from(const Options& o, Record& r) {
    std::string text;
    if (o.record.empty() || !read_file(o.record, text).empty()) return "";
    Record old;
    if (const auto bad = from_json(text, old); !bad.empty()) return fmt::format("{}: {}", o.record, bad);
    if (old.commit != o.commit)
        return fmt::format("{} is of commit '{}', this is '{}': give --commit, or another --record", o.record, old.commit,
                           o.commit);
    r = old;
    return "";
}

int run(const Options& o) {
    Record r;
    if (const auto bad = go_on_from(o, r); !bad.empty()) return fail(bad);
    stamp(r, o.commit);
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
    const auto start = Clock::now();
    const double before = r.seconds;
    double saved = 0;
    const auto save = [&]() -> std::string {
        return o.record.empty() ? "" : write_file(o.record, to_json(r));
    };
    while (r.elements < o.elements) {
        r.step();
        const double now = seconds(Clock::now() - start);
        r.seconds = before + now;
        if (o.seconds > 0 && now >= static_cast<double>(o.seconds)) break;
        if (now - saved < 10) continue;
        saved = now;
        if (const auto bad = save(); !bad.empty()) return fail(bad);
        fmt::print(stderr, "{} tasks, {} of {} elements, {} findings, {:.0f} s\n", r.tasks, r.elements, o.elements,
                   r.findings.size(), r.seconds);
    }
    if (const auto bad = save(); !bad.empty()) return fail(bad);
    for (const Finding& f : r.findings) fmt::print("task {}\n  {}\n  {}\n  {}\n", f.task, f.line, f.model, f.what);
    fmt::print("{} tasks, {} rows, {} elements, {} findings in {:.0f} s\n", r.tasks, r.rows, r.elements, r.findings.size(),
               r.seconds);
    return r.findings.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    const std::string bad = read_options(argc, argv, o);
    if (bad == "help") return fmt::print("{}", usage), 0;
    if (!bad.empty()) return fail(bad);
    return o.task >= 0 ? one_task(o.task) : run(o);
}
