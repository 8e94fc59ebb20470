// A bit-exact restatement of a kernel: element map x statistic x order, each a replaceable piece. A fault changes one of
// them. The same value is a hypothesis (run on tensors, or piece by piece given r) and, through impls/model, a subject.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/contract/contract.hpp"
#include "reference/maps/map.hpp"
#include "reference/orders/order.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

// The stages at which a line can be changed. Faults of different stages combine.
enum class Stage { map, round, gain, columns, sum, mean, eps, rsqrt, address, output };

struct Model {
    Contract contract;  // types, map, residual mix; order as text
    const MapPiece* map = nullptr;
    OrderChoice order{};
    bool fma = false;

    // Pieces; `p` is the fault's parameter (NaN: none given).
    Narrow narrow = narrow_nearest;
    float (*gain)(const MapTypes&, float w, double p) = nullptr;                       // the gain's value; null: by contract
    int (*weight)(std::int64_t j, std::int64_t d, double p) = nullptr;                 // 0: column j dropped, 2: counted twice
    float (*sum)(const Model&, std::span<const float> x) = nullptr;                    // null: by order
    float (*mean)(float s, std::span<const float> x, double p) = nullptr;              // null: s / d
    float (*with_eps)(float ms, float eps, double p) = nullptr;                        // null: ms + eps
    float (*rsqrt)(float v, float ms, float eps, double p) = nullptr;                  // null: correctly rounded
    float (*scale)(const Model&, float r) = nullptr;                                   // last change to r; null: none
    float (*element)(float x, std::span<const float> row, double p) = nullptr;         // what is normalised; null: x
    std::int64_t (*address)(std::int64_t row, std::int64_t ld, std::int64_t d) = nullptr;  // null: row * ld
    double p = 0;
    std::string fault;  // "" or its kind with the parameter

    // The row's scalar: r, or the rms where the map divides. x is what the statistic sees.
    float statistic(std::span<const float> x, double eps) const;
    // One row without residual; x, w and y have d values.
    void row(std::span<const float> x, std::span<const float> w, double eps, std::span<float> y) const;
    // The whole case: outputs by tensor index, packed in row-major order; empty for inputs.
    std::vector<std::vector<std::byte>> run(const Tensors&) const;
};

// "bf16,cast_first,order=lanes:8x4[,fma][,fault=KIND[:PARAM]]"
std::optional<ParseError> parse(std::string_view text, Model& out);

}  // namespace ulpgate
