#include "reports/cli/outputs.hpp"

#include <fmt/format.h>

#include "reference/base/file.hpp"
#include "reports/annotations/annotations.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/junit/junit.hpp"
#include "reports/markdown/markdown.hpp"
#include "reports/sarif/sarif.hpp"

namespace ulpgate::cli {

Outputs::Outputs(const Arguments& a) {
    const auto add = [&](std::string_view flag, std::string (*render)(const Result&)) {
        const auto path = a.text(flag);
        if (path.empty()) return;
        if (path == "-" && to_stdout_) throw UsageError(fmt::format("{}: stdout is taken by another of --json --junit --markdown --sarif --html", a.where(flag)));
        to_stdout_ |= path == "-";
        files_.push_back({flag, path, render});
    };
    add("json", to_json);
    add("junit", to_junit);
    add("markdown", [](const Result& r) { return to_markdown(r); });
    add("sarif", to_sarif);
    add("html", to_html);
    if (const auto kind = a.text("annotations"); kind == "github") annotations_ = true;
    else if (!kind.empty()) throw UsageError(fmt::format("{}: '{}' is not known; github is", a.where("annotations"), kind));
}

void Outputs::write(const Result& r) const {
    std::string errors;
    for (const auto& f : files_) {
        if (f.path == "-") {
            fmt::print("{}", f.render(r));
        } else if (const auto e = write_file(f.path, f.render(r)); !e.empty()) {
            errors += fmt::format("{}--{}: {}", errors.empty() ? "" : "\n", f.flag, e);
        }
    }
    if (annotations_) fmt::print(people(), "{}", to_github(r));
    if (std::fflush(stdout) != 0) errors += fmt::format("{}stdout: the result could not be written", errors.empty() ? "" : "\n");
    if (!errors.empty()) throw UsageError(errors);
}

}  // namespace ulpgate::cli
