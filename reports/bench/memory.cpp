#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

// Peak resident bytes of `ulpgate gate` over so many rows; 0 where it failed. Its children are not in it.
double peak_of(const std::string& home, std::size_t rows) {
    std::vector<std::string> words{home + "/ulpgate", "gate", "scalar", "--op", "kv_a_layernorm", "--type", "bf16", "--profile", "gaussian", "--rows", std::to_string(rows)};
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        const int null = ::open("/dev/null", O_WRONLY);
        ::dup2(null, 1);
        ::dup2(null, 2);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    int status = 0;
    rusage use{};
    if (::wait4(pid, &status, 0, &use) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
    return static_cast<double>(use.ru_maxrss) * 1024;
}

void cells(const Request& request, const Measure& measure) {
    // The gate holds a few cases of at most 1,024 rows at a time: both counts fill them.
    const std::size_t few = request.quick ? 16 : 4000, many = request.quick ? 64 : 32000;
    measure(fmt::format("memory/gate/{}_against_{}_rows", many, few), [&] {
        Cell c{"MB", {}, {}, ""};
        const double a = peak_of(request.home, few), b = peak_of(request.home, many);
        if (a == 0 || b == 0) c.why_skipped = "ulpgate gate did not pass";
        // As rates: the peak with few rows over the peak with many. 0.9: a tenth more is flat.
        c.fixed = {b, {{"few rows", "", a, a / b, a / b, a / b, 0.9}}};
        return c;
    });
}

}  // namespace

PIECE(Group, memory) = {"memory", "peak memory of the gate with many rows beside few; 1 is flat", 5, cells};

}  // namespace ulpgate::bench
