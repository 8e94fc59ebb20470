// The long check's tasks: task n is a case, a claim and a model that honours it, drawn from n alone.
//
// A claim has any type, map, association, division or product, gain, residual mix, order, mean, accumulator, ftz=sum, stat_width
// and rsqrt=0..5; the model takes any choice that the claim leaves open: every order of reference/orders and random trees,
// squares and sums flushed below 2^-126 or not, FMA or not, 1/d or a division, eps added in f32 or from f64, and a root at the very
// edge of what rsqrt=k allows, above or below. Left out, since no element map restates them and the judge says `unsupported`:
// beta, quant, ftz=x and ftz=y (reference/maps/maps_for.cpp), stat=mean_m2, 16-bit sums.
#pragma once
#include <cstdint>
#include <string>

#include "properties/cases/case.hpp"
#include "reference/model/model.hpp"

namespace ulpgate::long_check {

struct Task {
    std::string line;   // of the case, claim included
    std::string model;  // its text, and what of it no text says
    Case input;
    Model subject;
};
Task draw(std::uint64_t index);

}  // namespace ulpgate::long_check
