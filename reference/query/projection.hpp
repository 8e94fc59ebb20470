// One projection y = T(x w^T [+ bias]): exact values, what a contract allows, and bit-exact restatements of kernels.
// Proof of the sets: reference/query/proof.md.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/exact/dot.hpp"
#include "reference/query/pieces.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

struct Range {  // the values that may stand at one place; a NaN lo: NaN alone
    float lo = 0, hi = 0;
    bool free = false;  // anything: f32 may overflow, or what enters is free
    bool one() const { return !free && (lo == hi || lo != lo); }
    static Range of(float v) { return {v, v, false}; }
};
using Ranges = std::vector<Range>;
Ranges exactly(std::span<const float>);

class Matrix {  // a weight of the case with its scales, row by row
  public:
    // name: "a", "q_b", "w". pieces: a fault's way to read it.
    Matrix(const Tensors&, std::string_view name, const QueryPieces&);
    std::int64_t rows() const { return w_.rows(); }
    std::int64_t columns() const { return w_.width(); }
    WeightRow row(std::int64_t o);  // valid until the next call
    bool has_scales() const { return scale_ != nullptr; }

  private:
    const WeightFacts* facts_of(std::int64_t o);

    const Tensor& w_;
    const Tensor* scale_;
    const QueryPieces& pieces_;
    std::vector<float> values_, scales_;
    std::vector<bool> met_;  // rows that were asked for once: the second time their facts are kept
    std::vector<std::optional<WeightFacts>> kept_;
    std::vector<float> folded_;  // the norm's gain, where it is taken into this matrix
    Type folded_to_ = Type::none;
    std::vector<float> whole_;  // of a matrix that is read transposed
};

struct Projection {
    Type t;                     // of x and y
    Type round;                 // T, or f32: the sum is kept
    std::string order = "any";  // of the sum over K
    Accumulate part = Accumulate::f32;
    Bias bias = Bias::none;
    bool rounded_products = false;  // a product may round in f32: T is f32
    bool core_or_f32 = false;       // where the order is a tensor core's: f32 in any order too
};

// "" where T, the weights' type and the orders of the sums go together; else in words why not.
std::string why_no_sum(const Contract&);

struct Projected {
    Range allowed;
    double exact = 0;   // of the nominal x, to error
    double error = 0, width = 0;
    double magnitude = 0;      // sum of |terms|
    double before = 0;         // the exact sum before a bias that comes after the cast
    std::int64_t terms = 0;    // that are not 0
    std::uint32_t nearest = 0;  // the exact value's word in `round`
};

// Every output of one token, or those of `count` rows from `first` on. x: what may enter; bias: empty or one a row.
void project(Matrix&, const Projection&, const Ranges& x, std::span<const float> bias, std::vector<Projected>& out, DotCounts* = nullptr,
             std::int64_t first = 0, std::int64_t count = -1);

// As a kernel with this order does it in f32 (any: sequential), with the pieces' faults: out.size() rows from `first` on.
// x: one value each.
void restate(Matrix&, const Projection&, const QueryPieces&, std::span<const float> x, std::span<const float> bias, std::span<float> out, std::int64_t first = 0);

}  // namespace ulpgate
