#include "reports/run/cases.hpp"

#include <fmt/format.h>

namespace ulpgate {

std::vector<Ran> run_cases(const GroupPlan& g, const SubjectOptions& options, std::vector<std::string>& notes) {
    std::vector<Ran> out;
    auto subject = open_subject(g.subject, options);
    if (const auto started = subject->start(); started.event != Event::ok) {
        notes.push_back(fmt::format("{}: {}", g.subject, started.what));
        return out;
    }
    for (const auto& c : g.cases) {
        Ran r{c, make(c), {}};
        if (!r.made.error.empty()) {
            notes.push_back(fmt::format("{}: {}", print(c), r.made.error));
            continue;
        }
        if (r.made.tensors.sizes[Dim::rows] == 0) continue;
        r.outcome = subject->run(g.entry, r.made.tensors);
        if (r.outcome.event == Event::refused) continue;
        if (r.outcome.event != Event::ok) {
            notes.push_back(fmt::format("{} {}: {}", g.subject, print(c), r.outcome.what));
            continue;
        }
        out.push_back(std::move(r));
    }
    return out;
}

}  // namespace ulpgate
