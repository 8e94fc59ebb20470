#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "reports/mutants/mutants.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t namings = 7;
using Counts = std::array<std::int64_t, namings>;
constexpr Naming shown[] = {Naming::right, Naming::tied, Naming::unnamed, Naming::wrong, Naming::missed, Naming::invisible, Naming::same};

std::int64_t at(const Counts& c, Naming n) { return c[static_cast<std::size_t>(n)]; }
std::int64_t sum(const Counts& c) {
    std::int64_t s = 0;
    for (const auto n : c) s += n;
    return s;
}

bool approximate(const MutantCell& c) {
    const Fault* f = find_fault(c.kind);
    return f && approximate_root(*f);
}

struct Totals {
    Counts exact{}, approx{};
    std::map<std::string, Counts> by_kind;
    std::map<std::string, std::int64_t> reasons;  // of invisible and same
    std::int64_t alarms = 0;
    std::map<Scored, std::int64_t> byhand;
    std::int64_t faulty = 0, honest = 0, honest_named = 0, both = 0;
};

Totals totals(const MutantReport& r) {
    Totals t;
    for (const auto& c : r.faults) {
        ++(approximate(c) ? t.approx : t.exact)[static_cast<std::size_t>(c.naming)];
        ++t.by_kind[c.kind][static_cast<std::size_t>(c.naming)];
        if (c.naming == Naming::invisible || c.naming == Naming::same)
            ++t.reasons[fmt::format("{} · {} · {}{}: {}", name(c.naming), c.kind, name(c.type), c.naming == Naming::invisible ? " " + std::string(c.arithmetic) : "", c.said)];
    }
    for (const auto& c : r.honest) t.alarms += c.naming != Naming::missed;
    for (const auto& k : r.byhand) {
        if (k.honest) ++t.honest, t.honest_named += k.scored != Scored::right;
        else ++t.faulty, ++t.byhand[k.scored], t.both += k.both;
    }
    return t;
}

double percent(std::int64_t part, std::int64_t of) { return of ? 100.0 * static_cast<double>(part) / static_cast<double>(of) : 0; }

std::string share(std::int64_t part, std::int64_t of) { return fmt::format("{} of {} ({:.1f} %)", part, of, percent(part, of)); }

std::string cell_line(const MutantCell& c) {
    return fmt::format("{} {},{} {} d {}: {}: {}", c.kind.empty() ? "no fault" : c.kind, name(c.type), c.contract, c.arithmetic, c.d, name(c.naming), c.said);
}

std::string kernel_line(const ScoredKernel& k) {
    return fmt::format("{} {} d {}: {}{}: {}", k.subject, k.contract, k.d, name(k.scored), k.both ? ", both faults" : "", k.said);
}

std::string durations(const MutantReport& r) {
    double cpu = 0, most = 0;
    for (const auto* cells : {&r.faults, &r.honest})
        for (const auto& c : *cells) cpu += c.seconds, most = std::max(most, c.seconds);
    for (const auto& k : r.byhand) cpu += k.seconds, most = std::max(most, k.seconds);
    return fmt::format("{:.0f} s on {} {}; a diagnosis {:.0f} ms on average, {:.2f} s at most", r.seconds, r.jobs, r.jobs == 1 ? "core" : "cores",
                       1000 * cpu / static_cast<double>(std::max<std::size_t>(1, r.faults.size() + r.honest.size() + r.byhand.size())), most);
}

}  // namespace

std::vector<Floor> floors(const MutantReport& r) {
    const Totals t = totals(r);
    const std::int64_t visible = sum(t.exact) - at(t.exact, Naming::invisible) - at(t.exact, Naming::same);
    const std::int64_t seen = visible - at(t.exact, Naming::missed), named = at(t.exact, Naming::right) + at(t.exact, Naming::tied);
    const std::int64_t mutants = sum(t.exact) - at(t.exact, Naming::same), misnamed = t.byhand.count(Scored::misnamed) ? t.byhand.at(Scored::misnamed) : 0;
    return {
        {"visible cells detected: all", share(seen, visible), seen == visible},
        {"named, or in a tie that no row splits: at least 99 %", share(named, visible), 100 * named >= 99 * visible},
        {"named wrongly: none", share(at(t.exact, Naming::wrong), visible), at(t.exact, Naming::wrong) == 0},
        {"false alarms in kernels that keep their contract: none", share(t.alarms, static_cast<std::int64_t>(r.honest.size())), t.alarms == 0},
        {"invisible among mutants: at most 5 %", share(at(t.exact, Naming::invisible), mutants), 20 * at(t.exact, Naming::invisible) <= mutants},
        {"kernels by hand misnamed: at most 1 %", share(misnamed, t.faulty), 100 * misnamed <= t.faulty},
        {"kernels by hand without a fault, named: none", share(t.honest_named, t.honest), t.honest_named == 0},
    };
}

std::string mutants_text(const MutantReport& r) {
    const Totals t = totals(r);
    std::string s = fmt::format("{:<26}{:>7}", "fault", "cells");
    for (const Naming n : shown) s += fmt::format("{:>10}", name(n));
    s += "\n";
    const auto line = [&](const std::string& what, const Counts& c) {
        s += fmt::format("{:<26}{:>7}", what, sum(c));
        for (const Naming n : shown) s += fmt::format("{:>10}", at(c, n));
        s += "\n";
    };
    for (const auto& [kind, c] : t.by_kind) line(kind, c);
    line("all but approximate roots", t.exact);
    line("approximate roots", t.approx);
    s += fmt::format("kernels by hand, with faults: {}", t.faulty);
    for (const auto& [scored, n] : t.byhand) s += fmt::format(" · {} {}", name(scored), n);
    s += fmt::format(" · both of two faults in {}\n", t.both);
    for (const auto& f : floors(r)) s += fmt::format("{}  {}: {}\n", f.held ? "ok " : "NOT", f.what, f.measured);
    for (const auto& c : r.faults)
        if (c.naming == Naming::wrong || c.naming == Naming::missed || c.naming == Naming::unnamed) s += cell_line(c) + "\n";
    for (const auto& c : r.honest)
        if (c.naming != Naming::missed) s += cell_line(c) + "\n";
    for (const auto& k : r.byhand)
        if (k.honest ? k.scored != Scored::right : k.scored == Scored::misnamed || k.scored == Scored::failed) s += kernel_line(k) + "\n";
    return s + durations(r) + "\n";
}

std::string mutants_markdown(const MutantReport& r) {
    const Totals t = totals(r);
    std::string s = "# How well faults are named\n\n";
    s += fmt::format("Written by `ulpgate doctor --mutants --markdown FILE{}` ({}), d {}.\n\n", r.sample ? " --sample" : "", durations(r), fmt::join(r.d, ", "));
    s += "Each listed fault, in kernels whose order, mean, root and FMA the diagnosis does not know: ";
    for (std::size_t k = 0; k < foreign_arithmetics().size(); ++k) s += fmt::format("{}{}", k ? ", " : "", foreign_arithmetics()[k].name);
    s += ".\n`same`: under that type or width the changed line computes what it did, so there is no mutant; outputs of both are compared on every\nrow of the diagnosis. `invisible`: another function, and an argument why no output can show it.\n\n";
    for (const auto& f : floors(r)) s += fmt::format("- {}{}: **{}**\n", f.held ? "" : "NOT MET: ", f.what, f.measured);
    s += "\n| fault | cells |";
    for (const Naming n : shown) s += fmt::format(" {} |", name(n));
    s += "\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    const auto line = [&](const std::string& what, const Counts& c) {
        s += fmt::format("| {} | {} |", what, sum(c));
        for (const Naming n : shown) s += fmt::format(" {} |", at(c, n));
        s += "\n";
    };
    for (const auto& [kind, c] : t.by_kind) line(kind, c);
    line("**all but approximate roots**", t.exact);
    line("**approximate roots**", t.approx);
    s += "\n## Not named alone\n\n";
    std::map<std::string, std::int64_t> ties;
    for (const auto& c : r.faults)
        if (c.naming == Naming::tied) ++ties[fmt::format("{} {}", c.kind, c.said)];
        else if (c.naming != Naming::right && c.naming != Naming::invisible && c.naming != Naming::same) s += "- " + cell_line(c) + "\n";
    for (const auto& [what, n] : ties) s += fmt::format("- tied in {}: {}\n", n, what);
    s += "\n## Cannot show\n\n";
    for (const auto& [what, n] : t.reasons) s += fmt::format("- {} ({} cells)\n", what, n);
    s += "\n## Kernels by hand\n\nBy somebody who had not read the diagnosis; what each computes stands in its sidecar (impls/byhand/TRUTH.md, with the rules of the score).\n\n";
    s += fmt::format("With faults: {} cells", t.faulty);
    for (const auto& [scored, n] : t.byhand) s += fmt::format(", {} {}", name(scored), n);
    s += fmt::format("; both of two faults named in {}. Without a fault: {} cells, {} with a name.\n\n| kernel | contract | d | score | said |\n|---|---|--:|---|---|\n", t.both, t.honest, t.honest_named);
    for (const auto& k : r.byhand) {
        std::string said = k.said.substr(0, k.said.find("; M"));
        std::replace(said.begin(), said.end(), '|', '/');
        s += fmt::format("| {} | {} | {} | {}{} | {} |\n", k.subject.substr(7), k.contract, k.d, name(k.scored), k.both ? ", both" : "", said);
    }
    return s;
}

}  // namespace ulpgate
