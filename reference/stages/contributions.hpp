// What each of several stages contributes to the errors of many elements, in ulps: how large, with which sign, how much of the whole.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ulpgate {

struct StageShare {
    double rms_ulp = 0;    // of the output's error, in its ulps
    double worst_ulp = 0;  // the largest |contribution|
    double bias_ulp = 0;   // the mean, signed
    double rms_ulp32 = 0;  // of r's error in f32 ulps of r: row stages only, else 0
    double worst_ulp32 = 0;
    double share = 0;      // E[c_stage c] / E[c^2] in ulps of the output, c the whole error: adds up to 1, may be negative; NaN where c is 0
    std::int64_t worst_row = -1, worst_col = -1;
    std::map<int, std::int64_t> by_size;  // elements with 2^k <= |contribution| < 2^(k+1); smallest_size holds what is smaller, 0 too
};
inline constexpr int smallest_size = -24;

class Contributions {
  public:
    explicit Contributions(std::size_t count) : of_(count) {}
    // One element: a contribution a stage; they add up to its error.
    void add(std::span<const double> ulps, std::int64_t row, std::int64_t col);
    // A row's own stages in ulps of f32 at r, the first ones.
    void add_row(std::span<const double> ulps32);
    std::vector<StageShare> shares() const;
    double rms_ulp() const, worst_ulp() const, bias_ulp() const;  // of the whole error
    std::int64_t elements() const { return elements_; }

  private:
    struct Sum {
        double square = 0, signed_sum = 0, worst = 0, with_total = 0, square32 = 0, worst32 = 0;
        std::int64_t worst_row = -1, worst_col = -1;
        std::map<int, std::int64_t> by_size;
    };
    std::vector<Sum> of_;
    double total_square_ = 0, total_sum_ = 0, total_worst_ = 0;
    std::int64_t elements_ = 0, rows_ = 0;
};

}  // namespace ulpgate
