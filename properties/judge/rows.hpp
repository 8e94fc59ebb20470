// A case's rows as the judge reads them: what is normalised, what the statistic sees, the gain, the outputs.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/judge/judge.hpp"

namespace ulpgate::judging {

class Rows {
  public:
    Rows(const Tensors&, const Outcome&);

    // "" or what is missing: an output of the wrong size, an operation that is no RMSNorm.
    const std::string& error() const { return error_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t width() const { return d_; }
    bool has_residual() const { return residual_ != nullptr; }
    std::span<const float> w() const { return w_; }  // as stored; empty without a gain

    void load(std::int64_t row);
    // With a residual: x + residual in f32, rounded to the residual's type or not. Without: x.
    std::span<const float> statistic_input(Residual) const;
    std::span<const float> normalised(Residual) const;
    std::span<const float> y() const { return y_row_; }
    std::uint32_t y_word(std::int64_t col) const {
        return encode(y_type_, y_row_[static_cast<std::size_t>(col)]);
    }
    std::span<const std::byte> y_bytes() const;
    Type y_type() const { return y_type_; }

    // First column of the loaded row where residual_out is not RN(x + residual), bit for bit; -1: none.
    std::int64_t residual_mismatch(Witness&) const;

  private:
    const Tensor *x_ = nullptr, *residual_ = nullptr;
    std::span<const std::byte> out_, residual_out_;
    std::int64_t rows_ = 0, d_ = 0, row_ = -1;
    Type y_type_{}, residual_type_{};
    std::vector<float> w_, rounded_, unrounded_, y_;
    std::span<const float> x_row_, y_row_;  // in place where the words are floats
    std::string error_;
};

}  // namespace ulpgate::judging
