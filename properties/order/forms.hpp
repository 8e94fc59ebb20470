// How r comes about after the sum: which mean (S / d or S * fl(1/d)), which root (correctly rounded, 1 / sqrtf, x / rms), which
// element map. Told by rows of integers, whose sum is exact in every order (NUMERICS.md 2): each form predicts every output, and
// rows are built so that a product of two forms lies on both sides of a rounding.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "properties/order/prober.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {

struct Form {
    Model model;       // order: not told yet
    std::string text;  // as a model's text, without an order
    std::string words() const;  // "S / d, 1/sqrt correctly rounded"
    std::int64_t excluded_by = -1;  // row of the probes that it does not give; -1: gives all
    int col = -1;
};

// Every form of these contracts: associations, means, roots. Contracts without a model are left out.
std::vector<Form> forms_of(const std::vector<Contract>&);

struct FormFinding {
    std::vector<Form> equal, excluded;
    std::int64_t rows = 0, splitting = 0;  // asked; of them built so that two forms differ
    int steps_low = 0, steps_high = 0;     // where none is equal: r - rn in f32 steps, least and largest seen
    bool measured = false;                 // the steps were
    std::vector<float> row;                // the last built row, for a replay
    std::vector<Spot> gain;                // its gain where not one
};
FormFinding find_forms(Prober&, std::vector<Form> candidates);

// "bf16,cast_first,order=lanes:8x4,fma,rsqrt_form=recip_sqrt": what parse() reads. order "": left out.
std::string model_text(const Model&, const std::string& order, bool fma);

}  // namespace ulpgate
