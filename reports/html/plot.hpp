// The plots of the page as SVG: a frame with one horizontal and one vertical axis. Colours are classes, so that
// the page's light and dark palettes hold for them. Labels are plain text; the caller escapes nothing.
#pragma once
#include <string>
#include <vector>

namespace ulpgate::html {

struct Axis {
    double lo = 0, hi = 1;
    std::vector<std::pair<double, std::string>> ticks;  // at most seven, so that labels stay apart
    std::string label;
};

struct Frame {  // of the plot in its own units; a small multiple is shown about as large
    double width = 360, height = 200;
};
inline constexpr Frame small_frame{190, 120};

class Plot {
  public:
    // title: what a screen reader says of it.
    Plot(std::string title, Axis x, Axis y, Frame frame = {});
    void bar(double from, double to, double height, const std::string& says);
    void point(double x, double y, const std::string& says);
    void ring(double x, double y, const std::string& says);  // what a bar or a point is held against
    void line(const std::vector<std::pair<double, double>>& points);
    // A vertical rule with a word at its top: a limit, a threshold.
    void rule(double x, const std::string& word);
    // Everything between two x, behind the rest.
    void band(double from, double to);
    std::string svg() const;

  private:
    double px(double x) const, py(double y) const;
    std::string title_, back_, front_;
    Axis x_, y_;
    Frame frame_;
    int rules_ = 0;
};

// Ticks at whole powers of two or ten, at most so many.
inline constexpr int most_ticks = 7;
Axis powers_of_two(int lo, int hi, std::string label, int ticks = most_ticks);
Axis powers_of_ten(int lo, int hi, std::string label, int ticks = most_ticks);
Axis linear(double lo, double hi, std::string label);

}  // namespace ulpgate::html
