#include "reports/cli/analysis.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"
#include "reports/run/context.hpp"

namespace ulpgate::cli {

int analyse(const Arguments& a, const RunRequest& request, const std::function<std::string(Result&)>& work) {
    const Outputs outputs(a);
    Result r;
    r.context = machine_context();
    r.context.seed = request.filter.seed;
    self_check(r.context, request.self_check, request.filter.seed);
    fmt::print(stderr, "{}", context_text(r.context, style_for("auto", STDERR_FILENO)));
    std::string s = work(r);
    for (const auto& n : r.not_loaded) s += fmt::format("{}: DID NOT LOAD: {}\n", printable(std::string_view(n.subject)), printable(std::string_view(n.reason)));
    for (const auto& k : r.skipped) s += fmt::format("{}: SKIPPED: {}\n", printable(std::string_view(k.subject)), printable(std::string_view(k.reason)));
    for (const auto& n : r.notes) s += fmt::format("note: {}\n", printable(std::string_view(n)));
    fmt::print(outputs.people(), "{}", s);
    r.exit = r.context.self_check_failed ? 3 : !r.not_loaded.empty() ? 4 : r.stages.empty() && r.eps.empty() ? 5 : 0;
    outputs.write(r);
    return r.exit;
}

}  // namespace ulpgate::cli
