// The long check of the query path as a program: see README.md beside it.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

#include "properties/long_check/query_check.hpp"
#include "reference/base/file.hpp"
#include "reference/base/text.hpp"

int main(int argc, char** argv) {
    using namespace ulpgate;
    std::int64_t outputs = 10'000'000;
    std::string record, commit;
    for (int k = 1; k < argc; ++k) {
        const std::string_view flag = argv[k];
        const std::string value = k + 1 < argc ? argv[++k] : "";
        const bool number = flag == "--outputs" && parse_integer(value, outputs) && outputs >= 0;
        if (flag == "--record" && !value.empty()) record = value;
        else if (flag == "--commit" && !value.empty()) commit = value;
        else if (!number) {
            fmt::print(stderr, "ulpgate-query-long-check [--outputs N] [--record FILE] [--commit TEXT]: contract-honouring query kernels, none may be inadmissible\n");
            return 2;
        }
    }
    const auto start = std::chrono::steady_clock::now();
    long_check::QueryRecord r;
    while (r.outputs < outputs) r.step();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const auto& f : r.findings) fmt::print("{}\n", f);
    for (const auto& [stage, n] : r.stages)
        fmt::print("{:<34} {:>9} outputs, at most two values {:5.1f} %, untold {:5.1f} %\n", stage, n.outputs, 100.0 * static_cast<double>(n.at_most_two) / static_cast<double>(n.outputs),
                   100.0 * static_cast<double>(n.untold) / static_cast<double>(n.outputs));
    fmt::print("{} tasks, {} outputs, {} findings in {:.0f} s\n", r.tasks, r.outputs, r.findings.size(), seconds);
    if (!record.empty())
        if (const auto bad = write_file(record, r.to_json(commit, seconds)); !bad.empty()) return fmt::print(stderr, "{}\n", bad), 2;
    return r.findings.empty() ? 0 : 1;
}
