// The search's row driven by bytes, for libFuzzer: a segment program at one width in, the objective's number out. Nothing is made
// anew from one input to the next, so that a kernel of 1,536 columns runs some hundred thousand times a second.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fuzz/search/row.hpp"

namespace ulpgate::fuzzing {

class ByteSearch {
  public:
    // The first entry whose outputs show r, with r as the objective; where there is none the first RMSNorm, with the distance
    // outside. subject: of open_in_process, started. The reason why not: error().
    ByteSearch(Subject& subject, std::int64_t d);
    const std::string& error() const { return error_; }
    Objective objective() const { return objective_; }
    const Contract& contract() const { return shape_.claim[0]; }

    double operator()(std::span<const std::uint8_t>);
    // Of the last input.
    double allowed();
    std::string line() const;
    Row& row() { return *row_; }
    const Case& shape() const { return shape_; }

  private:
    Case shape_;
    Objective objective_ = Objective::r;
    std::unique_ptr<Row> row_;
    Program program_;
    std::string error_;
};

}  // namespace ulpgate::fuzzing
