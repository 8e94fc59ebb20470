// One row of a kernel, again and again: a program in, a number out.
#pragma once
#include <memory>
#include <vector>

#include "fuzz/search/objective.hpp"
#include "impls/subject/in_process.hpp"
#include "properties/cases/case.hpp"

namespace ulpgate::fuzzing {

class Row {
  public:
    // shape: a case of one row whose x is a program. The kernel runs in this process where `direct`, else isolated.
    Row(Subject& subject, std::size_t entry, const Case& shape, Objective objective, bool direct);
    const std::string& error() const { return error_; }

    double operator()(const Program&);
    double allowed(const Program&);
    void bare_call();              // the kernel alone, on what the last program left; direct only
    double bare_calls_a_second();  // direct only
    Case case_of(const Program&) const;

  private:
    bool run(const Program&);
    RowOutputs outputs() const { return {&contract_, x_, w_, y_, shape_.eps, columns_}; }
    void choose_columns(const Program&);

    Subject& subject_;
    std::size_t entry_;
    Case shape_;
    Objective objective_;
    Contract contract_;
    Tensors tensors_;
    std::size_t x_at_ = 0, y_at_ = 0;
    std::unique_ptr<DirectCall> call_;
    std::vector<float> x_, w_, y_;
    std::vector<std::int64_t> columns_;
    std::string error_;
};

// Fills d contiguous words.
void fill_words(const Program&, Type, std::int64_t d, std::byte* out);

}  // namespace ulpgate::fuzzing
