#include <fmt/format.h>

#include <cmath>

#include "properties/judge/distribution.hpp"
#include "reports/console/console.hpp"
#include "reports/result/printable.hpp"
#include "reports/eps/table.hpp"

namespace ulpgate {
namespace {

std::string rms_words(double rms) { return rms > 0 ? fmt::format("{:.3g}", rms) : "never"; }

std::string recovered_words(const EpsTable& t) {
    if (t.recovered_lo > t.recovered_hi) return fmt::format("  no one eps explains its {} rows: gate says what it does with eps\n", grouped(t.recovered_rows));
    const bool in = t.recovered_lo <= t.eps && t.eps <= t.recovered_hi;
    return fmt::format("  recovered eps in [{:.8g}, {:.8g}] from {} rows; given {:g}: {}\n", t.recovered_lo, t.recovered_hi, grouped(t.recovered_rows), t.eps,
                       in ? "inside" : "NOT inside");
}

}  // namespace

std::string eps_text(const EpsTable& table) {
    const EpsTable t = printable(table);
    std::string s = t.d > 0 ? fmt::format("{} {} d {}  {}  eps {:g}\n", t.op, name(t.type), t.d, t.source, t.eps) : fmt::format("{} {}  {}  eps {:g}\n", t.op, name(t.type), t.source, t.eps);
    if (!t.warning.empty()) s += fmt::format("  WARNING {}\n", t.warning);
    if (!t.subject.empty()) return s + recovered_words(t);
    s += fmt::format("  {} rows; eps / (v + eps): median {:.2g}, worst {:.2g}\n", grouped(t.rows), t.share_median, t.share_worst);
    std::int64_t most = 1;
    for (const auto& b : t.by_rms) most = std::max(most, b.rows);
    for (const auto& b : t.by_rms) {
        const auto where = b.log2_rms == zero_row ? std::string("zero rows") : fmt::format("rms 2^{}", b.log2_rms);
        const auto bar = static_cast<std::size_t>(std::ceil(24.0 * static_cast<double>(b.rows) / static_cast<double>(most)));
        s += fmt::format("  {:<10} {:>7} {:<24} eps share {:.2g}\n", where, b.rows, std::string(bar, '#'), b.share);
    }
    s += fmt::format("  {:<9} {:>12} {:>12} {:>12} {:>10} {:>10} {:>12} {:>12} {:>8}\n", "other eps", "all move", "some move", "one a row", "rows all", "rows some", "rows changed", "outputs", "steps");
    for (const auto& m : t.moves)
        s += fmt::format("  {:<9g} {:>12} {:>12} {:>12} {:>10} {:>10} {:>12} {:>12} {:>8}\n", m.eps, rms_words(m.all_below), rms_words(m.some_below), rms_words(m.one_below),
                         share_of(m.rows_all, t.rows), share_of(m.rows_some, t.rows), share_of(m.changed_rows, t.rows), share_of(m.changed_outputs, t.elements), m.worst_steps);
    return s;
}

}  // namespace ulpgate
