// Exact numbers m * 2^e: what decides where no floating-point bound can. Heavy header: include it from few sources.
#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <span>

namespace ulpgate {

struct Dyadic {
    boost::multiprecision::cpp_int m = 0;
    int e = 0;
};

Dyadic dyadic(double finite);

Dyadic operator*(const Dyadic&, const Dyadic&);
Dyadic operator+(const Dyadic&, const Dyadic&);
// Sign of a - b: -1, 0 or 1.
int compare(const Dyadic& a, const Dyadic& b);

// Sum of x^2, x finite, any length. Independent of sum.hpp: 254 bins of integer squares, one an exponent.
Dyadic exact_sum_of_squares(std::span<const float> x);

}  // namespace ulpgate
