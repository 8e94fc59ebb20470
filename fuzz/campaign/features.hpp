// What a case reached, as numbers that stay the same from run to run: a campaign keeps a case that reaches something new.
// The kernel is a black box here, so its inputs, outputs and errors are looked at, in classes.
#pragma once
#include <cstdint>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/judge/judge.hpp"

namespace ulpgate::fuzzing {

std::vector<std::uint64_t> features_of(std::size_t entry, const Tensors&, const Outcome&, const Judgement&);

}  // namespace ulpgate::fuzzing
