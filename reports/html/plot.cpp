#include "reports/html/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape/escape.hpp"

namespace ulpgate::html {
namespace {

constexpr double left = 46, right = 20, top = 26, bottom = 34;

int step_for(int lo, int hi, int ticks) {
    int step = 1;
    while ((hi - lo) / step + 1 > ticks) ++step;
    return step;
}

}  // namespace

Plot::Plot(std::string title, Axis x, Axis y, Frame frame) : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), frame_(frame) {
    if (!(x_.hi > x_.lo)) x_.hi = x_.lo + 1;
    if (!(y_.hi > y_.lo)) y_.hi = y_.lo + 1;
}

double Plot::px(double x) const { return left + (std::clamp(x, x_.lo, x_.hi) - x_.lo) / (x_.hi - x_.lo) * (frame_.width - left - right); }
double Plot::py(double y) const { return frame_.height - bottom - (std::clamp(y, y_.lo, y_.hi) - y_.lo) / (y_.hi - y_.lo) * (frame_.height - top - bottom); }

void Plot::bar(double from, double to, double value, const std::string& says) {
    const double y = py(value), base = frame_.height - bottom;
    front_ += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>\n", px(from), y,
                          std::max(0.8, px(to) - px(from) - 0.6), std::max(0.0, base - y), markup(printable(says)));
}

void Plot::point(double x, double y, const std::string& says) {
    front_ += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}</title></circle>\n", px(x), py(y), markup(printable(says)));
}

void Plot::ring(double x, double y, const std::string& says) {
    front_ += fmt::format("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>\n", px(x), py(y), markup(printable(says)));
}

void Plot::line(const std::vector<std::pair<double, double>>& points) {
    std::string path;
    for (const auto& [x, y] : points) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", px(x), py(y));
    front_ += fmt::format("<path class=\"line\" d=\"{}\"/>\n", path);
}

void Plot::rule(double x, const std::string& word) {
    // The word on the side that has room, one rule's below the other's.
    const bool before = px(x) > frame_.width * 0.6;
    const double y = top + 10 + 13 * rules_++;
    front_ += fmt::format("<path class=\"rule\" d=\"M{0:.1f} {1:.1f} L{0:.1f} {2:.1f}\"/>\n", px(x), top, frame_.height - bottom);
    front_ += fmt::format("<text class=\"word\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", px(x) + (before ? -4 : 4), y, before ? "end" : "start",
                          markup(printable(word)));
}

void Plot::band(double from, double to) {
    back_ += fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", px(from), top, std::max(0.0, px(to) - px(from)),
                         frame_.height - top - bottom);
}

std::string Plot::svg() const {
    std::string s = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", frame_.width, frame_.height, markup(printable(title_)));
    s += back_;
    s += fmt::format("<path class=\"axis\" d=\"M{0} {1} L{0} {2} L{3} {2}\"/>\n", left, top, frame_.height - bottom, frame_.width - right);
    for (const auto& [at, word] : x_.ticks)
        s += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1} v4\"/><text x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n", px(at), frame_.height - bottom,
                         frame_.height - bottom + 15, markup(printable(word)));
    for (const auto& [at, word] : y_.ticks)
        s += fmt::format("<path class=\"axis\" d=\"M{0} {1:.1f} h-4\"/><text x=\"{2}\" y=\"{3:.1f}\" text-anchor=\"end\">{4}</text>\n", left, py(at), left - 6, py(at) + 3.5,
                         markup(printable(word)));
    s += front_;
    s += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", frame_.width - right, frame_.height - 4, markup(printable(x_.label)));
    s += fmt::format("<text x=\"2\" y=\"10\">{}</text>\n</svg>\n", markup(printable(y_.label)));
    return s;
}

Axis powers_of_two(int lo, int hi, std::string label, int ticks) {
    Axis a{static_cast<double>(lo), static_cast<double>(hi), {}, std::move(label)};
    const int step = step_for(lo, hi, ticks);
    for (int k = lo; k <= hi; k += step) a.ticks.emplace_back(k, fmt::format("2^{}", k));
    return a;
}

Axis powers_of_ten(int lo, int hi, std::string label, int ticks) {
    Axis a{static_cast<double>(lo), static_cast<double>(hi), {}, std::move(label)};
    const int step = step_for(lo, hi, ticks);
    for (int k = lo; k <= hi; k += step) a.ticks.emplace_back(k, k >= -2 && k <= 3 ? fmt::format("{:g}", std::pow(10.0, k)) : fmt::format("1e{}", k));
    return a;
}

Axis linear(double lo, double hi, std::string label) {
    Axis a{lo, hi, {}, std::move(label)};
    for (int k = 0; k <= 4; ++k) a.ticks.emplace_back(lo + (hi - lo) * k / 4, fmt::format("{:.3g}", lo + (hi - lo) * k / 4));
    return a;
}

}  // namespace ulpgate::html
