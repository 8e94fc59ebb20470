// The worst output of each group to the bit: sign, exponent and fraction of what was allowed and of what came.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/base/hexfloat.hpp"
#include "reference/formats/format.hpp"
#include "reference/ops/op.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"
#include "reports/html/parts.hpp"

namespace ulpgate::html {
namespace {

struct Shown {
    Witness witness;
    Contract types;
    std::string replay;
};

// Of a failure its own witness, else the largest error of the rows that passed.
bool shown_of(const Group& g, Shown& s) {
    for (const auto& f : g.failures)
        if (f.witness.row >= 0 && f.witness.col >= 0) {
            for (const auto& word : f.replay) s.replay += (s.replay.empty() ? "" : " ") + shell_word(word);
            s.witness = f.witness, s.types = f.types;
            return true;
        }
    const auto& w = g.whole.measure.worst;
    if (w.row < 0 || w.col < 0 || g.claim.empty() || g.worst_line.empty()) return false;
    s = {w, g.claim[0], fmt::format("ulpgate replay {} {}", shell_word(g.subject), g.worst_line)};
    return true;
}

// "0 01111111 1010101", the bits that differ from `other` marked.
std::string bits(Type t, std::uint32_t word, std::uint32_t other) {
    const int n = 8 * bytes(t), fraction = precision(t) - 1;
    std::string s;
    for (int k = n - 1; k >= 0; --k) {
        const bool one = word >> k & 1, differs = (word ^ other) >> k & 1;
        s += differs ? fmt::format("<b class=\"red\">{:d}</b>", one) : fmt::format("{:d}", one);
        if (k == n - 1 || k == fraction) s += ' ';
    }
    return "<code class=\"bits\">" + s + "</code>";
}

std::string value(Type t, std::uint32_t word) { return code(hexfloat(static_cast<double>(decode(t, word)))); }

std::string rows_of(const Shown& s, bool norm) {
    const auto& w = s.witness;
    const auto& c = s.types;
    const auto line = [](std::string what, Type t, std::uint32_t word, std::uint32_t other) {
        return std::vector<std::string>{std::move(what), value(t, word), code(fmt::format("{:0{}x}", word, 2 * bytes(t))), bits(t, word, other)};
    };
    std::vector<std::vector<std::string>> rows;
    const auto input = [&](std::string what, Type t, float v) {
        if (t != Type::none) rows.push_back(line(std::move(what), t, encode(t, v), encode(t, v)));
    };
    if (norm) input("x", c.x, w.x);
    if (norm && c.gain != Gain::none) input("gain", c.w, w.w);
    const auto away = [&](std::uint32_t end) { return w.got > end ? w.got - end : end - w.got; };
    const bool within = w.got >= w.allowed_lo && w.got <= w.allowed_hi;
    const auto nearest = within ? w.got : away(w.allowed_lo) <= away(w.allowed_hi) ? w.allowed_lo : w.allowed_hi;
    rows.push_back(line(w.allowed_lo == w.allowed_hi ? "allowed" : "allowed from", c.y, w.allowed_lo, w.allowed_lo));
    if (w.allowed_lo != w.allowed_hi) rows.push_back(line("allowed to", c.y, w.allowed_hi, w.allowed_hi));
    rows.push_back(line("got", c.y, w.got, nearest));
    return table({"", "value", "word", "bits"}, rows, {false, false, false, false});
}

std::string one(const Group& g, const Shown& s) {
    const Op* op = find_op(g.op);
    return fmt::format("<h3>{} {} {}: row {} col {}</h3>\n{}<p><span class=\"dim\">replay</span> {}</p>\n", text(g.subject), text(g.op), name(g.type), s.witness.row, s.witness.col,
                       rows_of(s, !op || op->abi == Abi::rmsnorm), code(s.replay));
}

}  // namespace

std::string worst_outputs(const Result& r) {
    std::vector<std::pair<const Group*, Shown>> all;
    for (const auto& g : r.groups) {
        Shown s;
        if (shown_of(g, s) && s.types.y != Type::none) all.emplace_back(&g, std::move(s));
    }
    if (all.empty()) return "";
    const auto lighter = [](const auto& a, const auto& b) {
        const auto size = [](const Group& g) { return std::isnan(g.whole.measure.worst_ulp) ? INFINITY : g.whole.measure.worst_ulp; };
        return gravity(a.first->verdict) != gravity(b.first->verdict) ? gravity(a.first->verdict) < gravity(b.first->verdict) : size(*a.first) < size(*b.first);
    };
    const auto worst = std::max_element(all.begin(), all.end(), lighter);
    std::rotate(all.begin(), worst, worst + 1);  // the others in the run's order
    std::string s = "<h2>The worst output to the bit</h2>\n" + one(*all[0].first, all[0].second), rest;
    for (std::size_t k = 1; k < all.size(); ++k) rest += one(*all[k].first, all[k].second);
    return rest.empty() ? s : s + fmt::format("<details><summary>that of {} others</summary>{}</details>\n", all.size() - 1, rest);
}

}  // namespace ulpgate::html
