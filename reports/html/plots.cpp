#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "properties/cases/case.hpp"
#include "properties/judge/distribution.hpp"
#include "reference/ops/op.hpp"
#include "reference/stages/contributions.hpp"
#include "reports/console/console.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/plot.hpp"

namespace ulpgate::html {
namespace {

std::string figure(const std::string& caption, const Plot& p, const std::string& numbers) {
    return fmt::format("<figure><figcaption>{}</figcaption>\n{}<details><summary>the numbers</summary>{}</details></figure>\n", text(caption), p.svg(), numbers);
}

double limit_of(const std::vector<const Group*>& groups, std::string_view quantity) {
    double least = INFINITY;
    for (const auto* g : groups)
        for (const auto& l : g->limits)
            if (l.quantity == quantity) least = std::min(least, l.limit);
    return least;
}

// Elements by size of error, counts on a log axis: fine bins below 2 ulps where nothing lies beyond, octaves otherwise.
std::string histogram(const Measure& m, double limit) {
    std::vector<std::vector<std::string>> rows;
    int last = 0;
    std::int64_t most = 1;
    for (int k = 0; k < ErrorHistogram::bins; ++k)
        if (m.errors.count(k)) {
            last = k;
            most = std::max(most, m.errors.count(k));
            rows.push_back({k == ErrorHistogram::not_finite ? "not finite" : fmt::format("{:g}", ErrorHistogram::lower(k)), grouped(m.errors.count(k))});
        }
    const int decades = static_cast<int>(std::ceil(std::log10(static_cast<double>(most)))) + 1;
    const Axis y = powers_of_ten(0, std::max(1, decades), "outputs");
    const auto height = [](std::int64_t n) { return std::log10(static_cast<double>(n)) + 0.05; };
    const bool coarse = last >= ErrorHistogram::fine;
    const int beyond = std::min(last, ErrorHistogram::not_finite - 1) - ErrorHistogram::fine + 2;
    Plot p(fmt::format("Outputs by size of error, {} in all", m.errors.total()), coarse ? powers_of_two(-4, std::max(1, beyond), "|error| in ulps of the output") : linear(0, 2, "|error| in ulps of the output"), y);
    if (!coarse) {
        for (int k = 0; k <= last; ++k)
            if (const auto n = m.errors.count(k)) p.bar(ErrorHistogram::lower(k), ErrorHistogram::lower(k + 1), height(n), fmt::format("{} outputs from {:g} ulp", grouped(n), ErrorHistogram::lower(k)));
    } else {
        for (int octave = -4; octave < beyond; ++octave) {  // the first holds what is smaller too
            std::int64_t n = 0;
            for (int k = 0; k <= std::min(last, ErrorHistogram::not_finite - 1); ++k) {
                const double from = ErrorHistogram::lower(k);
                if (from < std::exp2(octave + 1) && (octave == -4 || from >= std::exp2(octave))) n += m.errors.count(k);
            }
            if (n) p.bar(octave, octave + 1, height(n), fmt::format("{} outputs from 2^{} ulp", grouped(n), octave));
        }
    }
    if (std::isfinite(limit)) p.rule(coarse ? std::max(-4.0, std::log2(limit)) : limit, "budget");
    return figure("Outputs by size of error", p, table({"from ulp", "outputs"}, rows, {true, true}));
}

// The eps that a tenth of the rows or more were given, from the lines of the groups' cases.
std::vector<double> eps_of(const std::vector<const Group*>& groups) {
    std::map<float, std::int64_t> rows;  // 1e-5 and float(1e-5) are drawn at one place
    std::int64_t all = 0;
    for (const auto* g : groups)
        for (const auto& cell : g->cells)
            if (Case c; !cell.line.empty() && !parse(cell.line, c)) rows[static_cast<float>(c.eps)] += cell.measure.rows, all += cell.measure.rows;
    std::vector<double> out;
    for (const auto& [eps, n] : rows)
        if (eps > 0 && 10 * n >= all) out.push_back(static_cast<double>(eps));
    return out;
}

std::string rms_plot(const Measure& m, Type t, const std::vector<double>& eps) {
    std::vector<std::vector<std::string>> rows;
    int lo = 0, hi = 1;
    double most = 1e-3, least = 1e9;
    bool any = false;
    for (const auto& [k, b] : m.by_rms) {
        rows.push_back({k == zero_row ? "zero" : fmt::format("2^{}", k), grouped(b.rows), short_number(b.worst_ulp), short_number(b.worst_r_ulp32)});
        if (k == zero_row || b.worst_r_ulp32 <= 0 || !std::isfinite(b.worst_r_ulp32)) continue;
        lo = any ? std::min(lo, k) : k, hi = any ? std::max(hi, k + 1) : k + 1, any = true;
        most = std::max(most, b.worst_r_ulp32), least = std::min(least, b.worst_r_ulp32);
    }
    const auto numbers = table({"rms from", "rows", "worst ulp", "r ulp32"}, rows, {true, true, true, true});
    if (!any) return fmt::format("<figure><figcaption>Error of r by the row's rms</figcaption><p class=\"dim\">no row pins r to an error above 0</p><details><summary>the numbers</summary>{}</details></figure>\n", numbers);
    const int y_lo = std::min(-1, static_cast<int>(std::floor(std::log10(least)))), y_hi = static_cast<int>(std::ceil(std::log10(most))) + 1;
    Plot p(fmt::format("Worst error of r by the rows' rms, {}", name(t)), powers_of_two(std::min(lo, -12), std::max(hi, 2), "rms of the row, measured"), powers_of_ten(y_lo, y_hi, "worst error of r, ulp32"));
    if (!eps.empty()) p.band(-1e9, std::log2(eps.back()) / 2);  // an rms of sqrt(eps) and below
    for (const double e : eps) p.rule(std::log2(e) / 2, fmt::format("eps {:g}", e));
    for (const auto& [k, b] : m.by_rms)
        if (k != zero_row && b.worst_r_ulp32 > 0 && std::isfinite(b.worst_r_ulp32)) p.point(k + 0.5, std::log10(b.worst_r_ulp32), fmt::format("rms from 2^{}: r within {} ulp32 in {} rows", k, short_number(b.worst_r_ulp32), b.rows));
    return figure("Error of r by the row's rms; shaded: eps is half of v + eps or more", p, numbers);
}

}  // namespace

std::string error_plots(const Result& r) {
    std::string s;
    std::vector<std::pair<std::string, Type>> seen;
    for (const auto& first : r.groups) {
        const std::pair key{first.subject, first.type};
        if (!first.whole.measure.rows || std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
        seen.push_back(key);
        Measure m;
        std::vector<const Group*> groups;
        for (const auto& g : r.groups)
            if (g.subject == first.subject && g.type == first.type && g.claim == first.claim) m.merge(g.whole.measure), groups.push_back(&g);
        s += fmt::format("<h3>{} {} {}</h3>\n<div class=\"pair\">{}{}</div>\n", text(first.subject), name(first.type), text(print(first.claim, false)), histogram(m, limit_of(groups, "ulp")), rms_plot(m, first.type, eps_of(groups)));
    }
    return s.empty() ? "" : "<h2>Errors</h2>\n<p class=\"dim\">An ulp is the spacing of the output's type at the unrounded ideal value; ulp32 that of float32 at r. The first claim of each type is drawn.</p>\n" + s;
}

namespace {

// One small plot a stage, all on the same axes: how many outputs it moves by how much, and what the contract allows it.
std::string small_multiples(const StageTable& t) {
    int lo = 0, hi = 1;
    std::int64_t most = 1;
    for (const auto& l : t.lines) {
        for (const auto& [octave, n] : l.by_size) most = std::max(most, n), lo = std::min(lo, octave), hi = std::max(hi, octave + 1);
        if (l.allowed_ulp > 0 && std::isfinite(l.allowed_ulp)) hi = std::max(hi, static_cast<int>(std::ceil(std::log2(l.allowed_ulp))) + 1);
    }
    const int decades = std::max(1, static_cast<int>(std::ceil(std::log10(static_cast<double>(most)))));
    std::string s;
    for (const auto& l : t.lines) {
        Axis y = powers_of_ten(0, decades, l.stage + ": outputs", 4);
        y.hi += 0.8;  // room for a word above the bars
        Plot p(fmt::format("Outputs by what {} moves them", l.stage), powers_of_two(lo, hi, "ulp", 4), y, small_frame);
        std::vector<std::vector<std::string>> rows;
        for (const auto& [octave, n] : l.by_size) {
            const auto from = octave == smallest_size ? std::string("less") : fmt::format("2^{} ulp", octave);
            p.bar(octave, octave + 1, std::log10(static_cast<double>(n)) + 0.05, fmt::format("{} outputs from {}", grouped(n), from));
            rows.push_back({from, grouped(n)});
        }
        if (l.allowed_ulp > 0 && std::isfinite(l.allowed_ulp)) p.rule(std::max<double>(lo, std::log2(l.allowed_ulp)), "allowed");
        s += fmt::format("<figure>{}<details><summary>{} in numbers</summary>{}</details></figure>\n", p.svg(), text(l.stage), table({"from", "outputs"}, rows, {true, true}));
    }
    return fmt::format("<div class=\"multiples\">{}</div>\n<p class=\"dim\">Each stage's part of the outputs' errors by size, in ulps, all on the same axes; dashed: the most "
                       "that the contract allows it.</p>\n", s);
}

bool of_query(const StageTable& t) {
    const Op* op = find_op(t.op);
    return op && op->abi != Abi::rmsnorm;
}

}  // namespace

std::string stage_section(const StageTable& t) {
    std::vector<std::vector<std::string>> rows;
    double most = 1e-8;
    for (const auto& l : t.lines) {
        most = std::max({most, l.rms_ulp, l.allowed_ulp});
        const bool row = l.allowed_ulp32 > 0;
        rows.push_back({text(l.stage), fmt::format("{:.3g}", l.rms_ulp), fmt::format("{:.3g}", l.worst_ulp), fmt::format("{:.2g}", l.bias_ulp), fmt::format("{:.1f} %", std::fabs(l.share) < 5e-4 ? 0.0 : 100 * l.share), fmt::format("{:.3g}", l.allowed_ulp),
                        row ? fmt::format("{:.3g}", l.worst_ulp32) : "", row ? fmt::format("{:.3g}", l.allowed_ulp32) : "", replay(t.subject, l.line, fmt::format("col {}", l.col))});
    }
    const bool rankless = t.op == "mla_query" && t.lines.size() <= 2;
    const auto head = fmt::format("<h2>Error budget: {} {} {} d {}</h2>\n<p>{}{}. {}{}. Whole error {:.3g} ulp RMS, {:.3g} at most, bias {:.2g}, over {} outputs.</p>\n", text(t.subject), text(t.op), name(t.type), t.d, code(print(t.contract, false)), rankless ? ", without a latent rank" : "",
                                  t.model.empty() ? "" : "As " + code("model/" + t.model) + ": ", text(t.how), t.rms_ulp, t.worst_ulp, t.bias_ulp, grouped(t.elements));
    const auto numbers = table({"stage", "rms ulp", "max ulp", "bias ulp", "share", "allowed ulp", "max ulp32", "allowed ulp32", "worst case"}, rows, {false, true, true, true, true, true, true, true, false});
    if (of_query(t)) return head + small_multiples(t) + numbers;
    const double hi = std::ceil(std::log10(most)), lo = std::min(-7.0, hi - 4);
    Axis x{0, static_cast<double>(t.lines.size()), {}, ""};
    for (std::size_t k = 0; k < t.lines.size(); ++k) x.ticks.emplace_back(static_cast<double>(k) + 0.5, t.lines[k].stage);
    Axis y = powers_of_ten(static_cast<int>(lo), static_cast<int>(hi), "ulp of the output; bar: rms, ring: allowed");
    y.hi += 0.4;
    Plot p(fmt::format("RMS error of each stage of {}", t.subject), x, y);
    for (std::size_t k = 0; k < t.lines.size(); ++k) {
        const auto& l = t.lines[k];
        if (l.rms_ulp > 0) p.bar(static_cast<double>(k) + 0.15, static_cast<double>(k) + 0.85, std::log10(l.rms_ulp), fmt::format("{}: {:.3g} ulp", l.stage, l.rms_ulp));
        if (l.allowed_ulp > 0) p.ring(static_cast<double>(k) + 0.5, std::log10(l.allowed_ulp), fmt::format("{}: at most {:.3g} ulp", l.stage, l.allowed_ulp));
    }
    return head + fmt::format("<figure>{}{}</figure>\n", p.svg(), numbers);
}

std::string eps_section(const EpsTable& t) {
    std::string s = fmt::format("<h2>Eps: {} {} {}</h2>\n", text(t.op), name(t.type), text(t.source));
    if (!t.warning.empty()) s += fmt::format("<p class=\"red\">{}</p>\n", text(t.warning));
    if (!t.subject.empty()) {
        if (t.recovered_lo > t.recovered_hi) return s + fmt::format("<p class=\"red\">No one eps explains its {} rows.</p>\n", t.recovered_rows);
        return s + fmt::format("<p>Its outputs allow an eps from {:.8g} to {:.8g} ({} rows); given {:g}.</p>\n", t.recovered_lo, t.recovered_hi, t.recovered_rows, t.eps);
    }
    std::vector<std::vector<std::string>> rows, moves;
    int lo = -13, hi = 2;
    std::int64_t most = 1;
    for (const auto& b : t.by_rms) {
        rows.push_back({b.log2_rms == zero_row ? "zero" : fmt::format("2^{}", b.log2_rms), grouped(b.rows), fmt::format("{:.2g}", b.share)});
        most = std::max(most, b.rows);
        if (b.log2_rms != zero_row) lo = std::min(lo, b.log2_rms), hi = std::max(hi, b.log2_rms + 1);
    }
    Plot p("Share of eps in v + eps by the row's rms, and where the rows lie", powers_of_two(lo, hi, "rms of the row"), linear(0, 1, "eps / (v + eps); bars: rows"));
    for (const auto& b : t.by_rms)
        if (b.log2_rms != zero_row) p.bar(b.log2_rms, b.log2_rms + 1, static_cast<double>(b.rows) / static_cast<double>(most), fmt::format("{} rows from 2^{}", b.rows, b.log2_rms));
    std::vector<std::pair<double, double>> curve;
    for (double k = lo; k <= hi; k += 0.25) curve.emplace_back(k, t.eps / (std::exp2(2 * k) + t.eps));
    p.line(curve);
    for (const auto& m : t.moves)
        moves.push_back({fmt::format("{:g}", m.eps), fmt::format("{:.3g}", m.all_below), fmt::format("{:.3g}", m.some_below), fmt::format("{:.3g}", m.one_below), share_of(m.changed_rows, t.rows), share_of(m.changed_outputs, t.elements), std::to_string(m.worst_steps)});
    s += fmt::format("<p>{} rows of {}; eps {:g}; eps / (v + eps) is {:.2g} in the median row, {:.2g} in the worst.</p>\n", grouped(t.rows), t.d, t.eps, t.share_median, t.share_worst);
    return s + figure("Where eps counts", p, table({"rms from", "rows", "eps share"}, rows, {true, true, true})) +
                           table({"other eps", "all move below rms", "some below", "one a row below", "rows changed", "outputs changed", "steps"}, moves, {true, true, true, true, true, true, true});
}

}  // namespace ulpgate::html
