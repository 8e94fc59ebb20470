#include <fmt/format.h>

#include <cmath>

#include "reports/console/console.hpp"
#include "reports/result/printable.hpp"
#include "reports/stages/table.hpp"

namespace ulpgate {
namespace {

// Three digits, small numbers as powers of ten.
std::string figure(double v) {
    if (v == 0) return "0";
    const double a = std::fabs(v);
    return a >= 0.001 && a < 1e5 ? fmt::format("{:.3f}", v) : fmt::format("{:.1e}", v);
}

// No sign on what rounds to zero.
double percent(double share) { return std::fabs(share) < 5e-4 ? 0.0 : 100 * share; }

}  // namespace

std::string stages_text(const StageTable& table) {
    const StageTable t = printable(table);
    std::string s = fmt::format("{} {} {} d {}  {}\n", t.subject, t.op, name(t.type), t.d, print(t.contract, false));
    s += fmt::format("  {} rows, {} elements{}\n", grouped(t.rows), grouped(t.elements), t.skipped ? fmt::format(", {} without a finite error left out", grouped(t.skipped)) : "");
    s += t.model.empty() ? fmt::format("  {}\n", t.how) : fmt::format("  as model/{}: {}\n", t.model, t.how);
    s += fmt::format("  {:<9} {:>9} {:>9} {:>9} {:>8} {:>12} {:>11} {:>11}\n", "stage", "rms ulp", "max ulp", "bias ulp", "share", "allowed ulp", "max ulp32", "allowed");
    for (const auto& l : t.lines) {
        const bool row = l.allowed_ulp32 > 0;
        s += fmt::format("  {:<9} {:>9} {:>9} {:>9} {:>7.1f} % {:>11} {:>11} {:>11}\n", l.stage, figure(l.rms_ulp), figure(l.worst_ulp), figure(l.bias_ulp), percent(l.share),
                         figure(l.allowed_ulp), row ? figure(l.worst_ulp32) : "", row ? figure(l.allowed_ulp32) : "");
    }
    s += fmt::format("  {:<9} {:>9} {:>9} {:>9} {:>7.1f} %\n", "whole", figure(t.rms_ulp), figure(t.worst_ulp), figure(t.bias_ulp), 100.0);
    const StageLine* worst = nullptr;
    for (const auto& l : t.lines)
        if (!l.line.empty() && (!worst || l.worst_ulp > worst->worst_ulp)) worst = &l;
    if (worst) s += fmt::format("  most by {} at col {}: ulpgate replay {} {}\n", worst->stage, worst->col, shell_word(t.subject), worst->line);
    return s;
}

}  // namespace ulpgate
