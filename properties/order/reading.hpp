// One ulp of a row's sum, read through an output of any type.
//
// M = m^2 4^a stands at one column; h, with ulp(M)/4 < h < ulp(M)/2, at the column that is looked at. M + h rounds to M, and M
// with two of them to M + ulp(M) iff they meet first (NUMERICS.md 6). m, h and eps are chosen so that r moves with that ulp and
// h's output straddles a rounding; the kernel itself then says what it answers to M and to M + ulp(M):
//   M, h           is M in every order
//   M, g, h        with ulp(M)/2 < g and g + h < 3/2 ulp(M) is M + ulp(M) in every order
#pragma once
#include <span>

#include "properties/order/forms.hpp"

namespace ulpgate {

struct Reading {
    bool found = false;
    float m = 0, h = 0, g = 0;  // values of x: their squares are what is added
    double eps = 0;
    std::uint32_t same = 0, more = 0;  // the output at h where the sum is M, and where it is M + ulp(M)
    std::int64_t tried = 0;
};

// forms: predictions to choose candidates by; they decide nothing.
Reading calibrate(Prober&, std::span<const Form> forms);

// Does the sum keep more than f32 does? M, with squares that make exactly ulp(M)/2 and one that is ulp(M)/2^28 more: in f32 it is
// M in every order (a tie to even), in anything wider M + ulp(M). Needs a dozen columns.
struct Wider {
    std::int64_t probes = 0, more = 0, same = 0;
    bool wider() const { return probes > 0 && more == probes; }
};
Wider ask_wider(Prober&, const Reading&, std::int64_t probes);

}  // namespace ulpgate
