// A bit-exact restatement of a kernel: element map x statistic x order, each a replaceable piece. A fault
// changes one of them. The same value is a hypothesis (run on tensors, or piece by piece given r) and,
// through impls/model, a subject.
//
//   S = the order's sum of x^2;  m = S / d;  v = m + eps;  r = 1/sqrt(v);  y = map(x, w, r)        all f32,
//   named roundings
// Source of the default: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 94-111.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/contract/contract.hpp"
#include "reference/maps/map.hpp"
#include "reference/orders/order.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

// The stages at which a line can be changed. Faults of different stages combine.
enum class Stage { map, round, gain, element, columns, sum, rows, mean, epsilon, eps, rsqrt, residual, address, output };
inline constexpr std::size_t stages = 14;

// What the lines after the sum work on: S, the number of columns, S / d, and eps as f32.
struct Moments {
    float s, n, ms, eps;
    Type t;  // of x
};

// What stands between the sum and the row's scalar.
struct Scalars {
    double s;
    float ms, v, scalar;
};

struct Model {
    Contract
        contract;  // types, map, gain, residual mix, sq, acc, mean, stat_width: all restated; order as text
    const MapPiece* map = nullptr;
    OrderChoice order{};
    bool fma = false;
    bool f64_mean = false;  // acc=f64 only: m = f32(S / d), the f64 sum divided in f64 and rounded once
    int r_steps = 0;        // r moved by so many values of f32, up or down: an rsqrt that is so far off

    // Pieces; `p` is the fault's parameter for this d. Null: the line above each.
    Narrow narrow = narrow_nearest;
    // W = w, or as the contract's gain says
    float (*gain)(const MapTypes&, float w, double p) = nullptr;
    // changes the gain as a whole, before gain() and 1 + w: none
    void (*gains)(const MapTypes&, std::span<float> w, double p) = nullptr;
    // times that column j is counted, 0, 1 or 2: 1
    int (*weight)(std::int64_t j, std::int64_t d, double p) = nullptr;
    // S = squares_sum(x, contract.sq, contract.acc)
    float (*sum)(const Model&, std::span<const float> x) = nullptr;
    // the row whose S is added to this row's; itself: none
    std::int64_t (*partner)(std::int64_t row, std::int64_t rows) = nullptr;
    // values after the row's end that are counted too, where they belong to the tensor: none
    std::int64_t (*spill)(std::int64_t d) = nullptr;
    // changes the model by the number of rows of the call: no
    void (*for_rows)(Model&, std::int64_t rows) = nullptr;
    // which sum of x and the residual goes where: as the contract says
    std::optional<Residual> mix;
    // m = S / d, or S * fl(1/d) where the contract says so
    float (*mean)(const Moments&, double p) = nullptr;
    // v = m + eps
    float (*with_eps)(const Moments&, double p) = nullptr;
    // rms = sqrt(v); where set and the map multiplies, r = 1 / rms in two roundings
    float (*root)(float v, const Moments&, double p) = nullptr;
    // r = 1/sqrt(v) correctly rounded; where the map divides there is no r
    float (*rsqrt)(float v, const Moments&, double p) = nullptr;
    // last change to r (to the rms where the map divides): none
    float (*scale)(const Model&, float r) = nullptr;
    // the eps that is used, as f32: fl32(eps)
    float (*epsilon)(const Model&, double eps, double p) = nullptr;
    // changes a copy of x before it is normalised: none
    void (*element)(const Model&, std::span<float> x) = nullptr;
    // first element of a row of x: row * ld
    std::int64_t (*address)(std::int64_t row, std::int64_t ld, std::int64_t d) = nullptr;
    // last change to an output: none
    float (*output)(float y, std::int64_t j, std::int64_t d, double p) = nullptr;

    // A fault's parameter, by the stages it changes; NaN: its default for this d.
    struct Parameter {
        double p = std::numeric_limits<double>::quiet_NaN();
        double (*by_default)(std::int64_t d) = nullptr;
    };
    std::array<Parameter, stages> parameters{};
    std::string fault;  // "" or the kinds with their parameters: "eps.outside+stat.wrong_divisor:2112"

    double parameter(Stage, std::size_t d) const;
    // The columns that the statistic is taken over: d, or fewer by the contract's stat_width.
    std::size_t statistic_width(std::size_t d) const;

    // The row's scalar: r, or the rms where the map divides. x is what the statistic sees.
    float statistic(std::span<const float> x, double eps) const;
    // The same in two steps, for a sum that more than one row enters.
    // The sum is in f32, held in a double; in f64 with f64_mean.
    double sum_of(std::span<const float> x) const;
    float from_sum(double s, std::span<const float> x, double eps) const { return scalars(s, x, eps).scalar; }
    Scalars scalars(double s, std::span<const float> x, double eps) const;
    // Sum of squares in the model's order. Squares in sq, partial sums in acc; an f64 sum is rounded to f32
    // at the end.
    float squares_sum(std::span<const float> x, Accumulate sq, Accumulate acc) const;

    // y from x, w and the row's scalar. w empty: no gain.
    void elements(std::span<const float> x, std::span<const float> w, float r, std::span<float> y) const;
    // One row without residual; x, w and y have d values.
    void row(std::span<const float> x, std::span<const float> w, double eps, std::span<float> y) const;
    // The whole case: outputs by tensor index, packed in row-major order; empty for inputs.
    std::vector<std::vector<std::byte>> run(const Tensors&) const;
};

// The narrowing of a run-time type as a function of one value.
float (*narrow_to(Type))(float);

// 1/sqrt(v) rounded once to f32: exhaustively proven in model_test.cpp. v = 0: inf; v < 0 or NaN: NaN.
float rsqrt_nearest(float v);

// Reads a model: a contract's text, every field restated, and what only a model has, listed by model_fields().
//   bf16,cast_first,order=lanes:8x4,fma,rsqrt_form=recip_sqrt
// order=any is sequential, mean=any divides, assoc=any is xr_w. Defined in reference/faults/parse.cpp.
std::optional<ParseError> parse(std::string_view text, Model& out);

struct ModelField {
    std::string_view key, values, what;
};
std::span<const ModelField> model_fields();

}  // namespace ulpgate
