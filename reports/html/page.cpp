#include <fmt/format.h>

#include "reports/escape/escape.hpp"
#include "reports/html/html.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/style.hpp"

namespace ulpgate {

std::string to_html(const Result& r) {
    std::string s = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    s += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
    // Nothing is loaded and nothing runs, whatever a name in the run says.
    s += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
    s += fmt::format("<title>ulpgate{}{}</title>\n<style>{}</style>\n</head>\n<body>\n", r.subjects.size() == 1 ? ": " : "",
                     r.subjects.size() == 1 ? html::text(r.subjects[0].text) : "", html::style);
    s += html::verdict_strip(r) + html::failures(r) + html::worst_outputs(r) + html::comparison(r) + html::error_plots(r);
    for (const auto& t : r.stages) s += html::stage_section(t);
    for (const auto& t : r.eps) s += html::eps_section(t);
    s += html::case_tables(r) + html::environment(r);
    return s + "</body>\n</html>\n";
}

}  // namespace ulpgate
