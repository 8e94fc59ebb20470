#include "reports/run/context.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "reference/base/file.hpp"
#include "reference/base/text.hpp"
#include "reference/oracle/naive.hpp"

namespace ulpgate {
namespace {

std::string isa_level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
    return "sse2";
#else
    return "portable";
#endif
}

std::string architecture(const utsname& u) {
    const std::string m = u.machine;
    return m == "x86_64" ? "x86-64" : m;
}

std::string cpu_model() {
    std::string text;
    if (!read_file("/proc/cpuinfo", text).empty()) return "";
    for (auto line : split(text, '\n'))
        if (line.starts_with("model name"))
            if (const auto at = line.find(": "); at != line.npos) return std::string(line.substr(at + 2));
    return "";
}

bool flushes() {
#if defined(__x86_64__)
    return (_mm_getcsr() & 0x8040u) != 0;  // FTZ, DAZ
#else
    return false;
#endif
}

}  // namespace

Context machine_context() {
    Context c;
    c.version = ULPGATE_VERSION;
#if defined(__clang__)
    c.compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
    c.compiler = fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
    for (auto word : split(ULPGATE_FLAGS, ' '))
        if (word.starts_with("-O")) c.flags = word;
    utsname u{};
    ::uname(&u);
    c.isa = isa_level();
    c.machine = fmt::format("{} {}", architecture(u), c.isa);
    c.cpu = cpu_model();
    c.system = fmt::format("{} {}", u.sysname, u.release);
    c.cores = std::max(1u, std::thread::hardware_concurrency());
    c.ftz = flushes();
    return c;
}

void self_check(Context& c, int count, std::uint64_t seed) {
    const auto check = oracle_self_check(count, seed);
    c.self_check = static_cast<std::uint64_t>(check.checked);
    c.self_check_failed = static_cast<std::uint64_t>(check.failed);
    c.self_check_what = check.first;
}

}  // namespace ulpgate
