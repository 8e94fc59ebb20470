// The first failing row in words: which output, and why no allowed r gives the row.
#pragma once
#include <cstdint>
#include <string>

#include "properties/judge/view.hpp"
#include "properties/judge/judge.hpp"

namespace ulpgate::judging {

struct Diagnosis {
    Witness witness;
    std::string reason;
    bool incoherent = false;  // the outputs are each possible, or in runs, but not from one r
};

// view: the contract under which the row is impossible; y: its outputs.
Diagnosis diagnose(const RowView& view, std::span<const float> y, std::int64_t row);

// Distance in ulp32 from an interval of scalars to another one; 0 where they meet.
double apart_ulp32(float lo, float hi, float other_lo, float other_hi);

}  // namespace ulpgate::judging
