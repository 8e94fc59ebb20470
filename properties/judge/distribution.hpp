// How the errors of a run are spread: by size, and by the size of the row they came from.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ulpgate {

// Counts of |error| in ulps of the output: 1/16 ulp a bin below 2, an octave a bin from there, the last bin for what is not
// finite.
class ErrorHistogram {
  public:
    static constexpr int a_ulp = 16, fine = 2 * a_ulp, octaves = 31, bins = fine + octaves + 1;
    static constexpr int not_finite = bins - 1;

    void add(double fraction) { ++count_[static_cast<std::size_t>(bin(fraction))]; }
    void add(std::span<const double> fractions);
    void put(int bin, std::int64_t n) { count_[static_cast<std::size_t>(bin)] += n; }
    void merge(const ErrorHistogram&);
    std::int64_t count(int bin) const { return count_[static_cast<std::size_t>(bin)]; }
    std::int64_t total() const;

    static int bin(double fraction);
    // The smallest |error| of a bin; inf for the last.
    static double lower(int bin);

  private:
    std::array<std::int64_t, bins> count_{};
};

// Rows with 2^k <= rms < 2^(k+1), rms measured: sqrt of the mean of the squares of what the statistic sees.
struct RmsBin {
    std::int64_t rows = 0;
    double worst_ulp = 0, worst_r_ulp32 = 0;
    void merge(const RmsBin&);
};
inline constexpr int zero_row = -2000;  // the octave of rows that are all zero
class ByRms {                           // bins in the order of their octaves
  public:
    RmsBin& operator[](int octave);
    auto begin() const { return bins_.begin(); }
    auto end() const { return bins_.end(); }

  private:
    std::vector<std::pair<int, RmsBin>> bins_;
};
// k of an rms; zero_row for 0.
int rms_octave(double rms);

}  // namespace ulpgate
