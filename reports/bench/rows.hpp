// The data of the cells: near Gaussian rows, gains in [0.5, 2), in one arena whose parts never alias modulo 4 KiB.
#pragma once
#include <cstddef>
#include <vector>

#include "reference/oracle/packed.hpp"

namespace ulpgate::bench {

class Arena {
  public:
    Arena(Type, std::size_t rows, std::size_t d);
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    const PackedRows& job() const { return job_; }

  private:
    std::vector<std::byte> memory_;
    PackedRows job_;
};

// Rows whose x and y take so many bytes together; at least one.
std::size_t rows_in(Type, std::size_t d, std::size_t bytes);
inline constexpr std::size_t in_cache = 192 << 10;  // of L2

}  // namespace ulpgate::bench
