// Rows made for the purpose, put to a kernel many at a time. Every call has the same number of rows (the rest is zero), so
// that a kernel that chooses its block by the batch shows one arithmetic.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

struct Spot {
    int column;
    float value;
};
struct Probe {  // a row that is zero but for a few columns, and the column whose output is looked at
    std::vector<Spot> spots;
    int read = 0;
};

class Prober {
  public:
    // c: of the entry, its types and tensors; with a residual, that is zero. batch: rows a call; 0: about a million elements.
    Prober(Subject&, std::size_t entry, const Op&, const Contract& c, std::int64_t d, std::int64_t batch = 0);

    std::int64_t d() const { return d_; }
    std::int64_t batch() const { return batch_; }
    Type x_type() const { return contract_.x; }
    const Contract& contract() const { return contract_; }
    std::int64_t rows = 0, calls = 0;  // asked so far
    std::string error;                 // "" or what the kernel did instead of answering; nothing is asked after that

    // The gain that multiplies by one, in every column.
    std::vector<float> unit_gain() const;
    // Words of y at the probes' columns, with the unit gain. Empty after an error.
    std::vector<std::uint32_t> ask(std::span<const Probe>, double eps);
    // Whole rows: rows * d values of x, d of the gain, and the words of y. rows_a_call: 0: batch().
    std::vector<std::uint32_t> ask_rows(std::span<const float> x, std::span<const float> w, double eps, std::int64_t rows_a_call = 0);
    // The tensors of such a call: contiguous, in and out.
    Tensors lay(std::int64_t rows_a_call, double eps) const;
    // One call on tensors laid out by hand; words of y by row and column.
    std::vector<std::uint32_t> call(const Tensors&);

  private:
    Subject& subject_;
    std::size_t entry_;
    const Op& op_;
    Contract contract_;
    std::int64_t d_, batch_;
};

}  // namespace ulpgate
