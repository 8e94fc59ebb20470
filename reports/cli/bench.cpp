#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "reports/cli/verb.hpp"

namespace ulpgate::cli {
namespace {

int bench_run(const Arguments& a) {
    std::vector<std::string> words{a.home + "/ulpgate-bench"};
    if (a.has("quick")) words.emplace_back("--quick");
    for (const char* flag : {"filter", "json"})
        if (a.has(flag)) words.insert(words.end(), {std::string("--") + flag, a.text(flag)});
    if (::access(words[0].c_str(), X_OK) != 0)
        throw UsageError("bench was not built: it needs Google Benchmark, MPFR and GMP (libbenchmark-dev libmpfr-dev on Debian). Install them, then build "
                         "again (cmake --preset release && cmake --build --preset release, or ./run bench)");
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    throw UsageError(words[0] + ": " + std::strerror(errno));
}

constexpr Flag flags[] = {
    {"filter", Takes::one, "TEXT", "only cells with this in their name: oracle, cast_first/f32, isolation/avx2"},
    {"json", Takes::one, "FILE", "the result as JSON (ulpgate.bench/1); - is stdout, the table then goes to stderr"},
    {"quick", Takes::nothing, "", "tiny sizes, three short rounds: whether it runs, not how fast"},
};

}  // namespace

PIECE(Verb, bench) = {"bench", "", "how fast the reference, the judge, the kernels and isolation are, beside honest peers",
    "Each cell is timed in turns with its peers, in one run and on the same data; what is printed is the median of the rounds' ratios\n"
    "and, where there is one, the floor that it should reach. A floor missed is no failure of the run: the machine may be at fault.\n"
    "Exit: 0 measured, 2 usage, or not built with Google Benchmark.",
    flags, 0, 0, bench_run};

}  // namespace ulpgate::cli
