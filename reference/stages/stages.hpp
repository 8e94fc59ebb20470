// Where a kernel's error comes from, stage by stage, exactly additive. For an element y = w x / sqrt(S/d + eps) and what a model
// computes on the way to its output, with S the exact sum, hats the model's values:
//
//   sum       -1/2 ln[(S^/d + eps) / (S/d + eps)]      multiply  ln(n^ / (x r^))
//   mean      -1/2 ln[(m^ + eps) / (S^/d + eps)]       cast      ln(t / n^)
//   eps       -1/2 ln[v^ / (m^ + eps)]                 gain      ln(y^ / (w t))
//   rsqrt     ln(r^ sqrt(v^))
//
// They add up to ln(y^ / y) identically. This is cast_first's map; f32_gain rounds to T after the gain, so cast is its last
// stage, and multiply and gain are the f32 roundings of x r and of the gain, whichever comes first. Where the rms divides,
// r^ is its reciprocal. A gain of 1 + w is a given number: its own rounding belongs to the contract.
//
// The ablation of one stage at a time does not add up, because stages compensate; the logs do.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/model.hpp"
#include "reference/stages/contributions.hpp"

namespace ulpgate {

enum class ErrorStage { sum, mean, eps, rsqrt, multiply, cast, gain };
inline constexpr std::size_t error_stages = 7;
inline constexpr std::size_t row_stages = 4;  // the first four are of the row, the same for each of its elements
std::string_view name(ErrorStage);

using StageTerms = std::array<double, error_stages>;  // the logs above

// The terms of one row's elements; nothing where the row's statistic is zero or not finite. An element whose x or w is
// zero or not finite, or whose n, t or y is not a normal number of its type, has no terms: skipped counts them.
struct RowStages {
    std::vector<StageTerms> terms;    // of the elements that have them
    std::vector<std::int64_t> column; // theirs
    std::vector<double> ideal;        // y, to 2^-50
    std::vector<float> output;        // y^
    double r = 0;                     // 1/sqrt(S/d + eps)
    std::int64_t skipped = 0;
};
// The reason where this model's lines are not the ones above (a fault in its map, a rounding that is not to nearest).
std::string why_no_stages(const Model&);
// x: what the statistic sees and the map normalises; w: gains as stored, empty for none.
RowStages row_stages_of(const Model&, std::span<const float> x, std::span<const float> w, double eps);
// The same where only the row's scalar is known (r, or the rms where the map divides): ln(r^ / r) stands under rsqrt, the other
// stages of the row are 0. Of the model its contract and map are used.
RowStages row_stages_given(const Model&, float scalar, std::span<const float> x, std::span<const float> w, double eps);

// What a contract allows each stage, relative to its factor, to first order (reference/admissible/proof.md). rho: the bound on the sum.
std::array<double, error_stages> stage_bounds(const Contract&, double rho, std::int64_t d);

// Over many rows: what each stage contributes, in ulps of the output.
class StageBudget {
  public:
    explicit StageBudget(Type output) : type_(output) {}
    void add(const RowStages&, std::int64_t row);
    std::vector<StageShare> shares() const { return all_.shares(); }
    double rms_ulp() const { return all_.rms_ulp(); }  // of the whole error
    double worst_ulp() const { return all_.worst_ulp(); }
    double bias_ulp() const { return all_.bias_ulp(); }
    std::int64_t elements() const { return all_.elements(); }
    std::int64_t skipped() const { return skipped_; }
    std::int64_t rows() const { return rows_; }

  private:
    Type type_;
    Contributions all_{error_stages};
    std::int64_t skipped_ = 0, rows_ = 0;
};

}  // namespace ulpgate
