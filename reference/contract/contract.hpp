// What a kernel claims: a value with a one-line text form, the same in ABI, command line, budget, JSON and case lines.
//
//   bf16,cast_first     bf16,f32_gain,assoc=xr_w,order=lanes:8x4,rsqrt=1     bf16,cast_first+bf16,f32_gain (a set)
//
// Characters are [a-z0-9_,=:.+] only: no shell quotes it and no '/' ends it. Fields print in the order below, defaults
// left out. A set holds iff one member explains every row.
//
// Source of the default: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 94-111.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/text.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate {

enum class Map { none, cast_first, f32_gain };  // none: no claim; gate infers one
enum class Assoc { any, xr_w, x_rw, xw_r };     // any: one of the three, the same in the whole run
enum class By { mul, div };                     // x * (1/rms), or x / rms
enum class Gain { given, none, one_plus, one_plus_t };
enum class Residual { none, rounded, unrounded, var_unrounded, norm_unrounded };
enum class Mean { any, div, recip };  // S / d, or S * fl(1/d)
enum class Accumulate { f32, f64, t };
enum class InPlace { never, may, must };
enum class Given { none, given };
enum class Emit { none, out };
enum class Quant { none, e4m3, i8 };
enum class QuantFrom { t, f32 };
enum class QuantBy { recip, div };
enum class QuantOver { sat, sat_nan, nan };
enum class Stat { ms, mean_m2 };
enum class Bias { none, before, after };         // of a projection: added before its one rounding to T, or after it
enum class Latent { t, f32 };                    // q_a between its projection and its norm
enum class Logits { t_then_f32, f32 };           // T(dot) widened, or the f32 sum itself
enum class Kv { none, fused };                   // q_a_proj alone, or kv_a_proj_with_mqa below it in one matrix: k_input is an output
enum class Absorb { no, yes };                   // q_nope is multiplied by w_kc: q_absorbed is the output
// Of q_pe and k_pe, pairs (2k, 2k + 1): f32 tables and arithmetic, one cast; T tables, products and sum rounded to T; T tables and f32 arithmetic.
enum class Rope { none, one_cast, three, table_f32 };

struct Contract {
    Type x = Type::none;    // of x (and of the cast T)
    Type w = Type::none;    // of the gain; default x
    Type y = Type::none;    // of the output; default what x and w promote to: the wider, f32 for bf16 with fp16
    Type res = Type::none;  // of the residual; default x
    Map map = Map::none;
    Assoc assoc = Assoc::any;
    By by = By::mul;
    Gain gain = Gain::given;
    Given beta = Given::none;
    Emit rstd = Emit::none;
    Residual residual = Residual::none;
    Quant quant = Quant::none;
    std::string qscale = "given";  // given, token, group:N
    QuantFrom qfrom = QuantFrom::t;
    QuantBy qby = QuantBy::recip;
    QuantOver qover = QuantOver::sat;
    std::string ftz = "none";  // none, or any of x.sum.y
    Stat stat = Stat::ms;
    std::int64_t stat_width = 0;  // columns that the mean square is taken over; 0: d
    Accumulate sq = Accumulate::f32, acc = Accumulate::f32;
    std::string order = "any";  // any, or a model of reference/orders: "lanes:8x4"
    Mean mean = Mean::any;
    int rsqrt = 2;  // error of the reciprocal root in ulp32; 0: correctly rounded
    InPlace inplace = InPlace::never;
    // The query path (mla_query) and projections (head).
    Type weights = Type::none;  // of the matrices; none: x. e4m3: codes with one f32 scale per 128 x 128 block
    Bias bias = Bias::none;     // of q_a_proj, never of q_b_proj
    std::string a_order = "any", b_order = "any";  // of the sums over K of the first and the second projection
    Accumulate a_part = Accumulate::f32, b_part = Accumulate::f32;  // type of split-K partial sums: f32 or t
    Latent latent = Latent::t;
    Logits logits = Logits::t_then_f32;
    Kv kv = Kv::none;
    Absorb absorb = Absorb::no;
    Rope rope = Rope::none;
    Emit taps = Emit::none;     // q_a, its norm and q_b are outputs too: each stage is judged on its own input
    std::string holds = "rerun";  // rerun.batch.align.stride: the invariances claimed

    friend bool operator==(const Contract&, const Contract&) = default;
};

using Claim = std::vector<Contract>;

// Reads a contract or a set of them; the error says which token, and what would be right.
std::optional<ParseError> parse(std::string_view text, Claim& out);

std::string print(const Contract&, bool with_type = true);
std::string print(const Claim&, bool with_type = true);

// The contract of type t with every other field at its default for these types.
Contract default_contract(Type t, Map = Map::none);

// Every field with its values and what a wider choice lets through: for `list contracts` and the documentation.
struct FieldHelp {
    std::string_view key, values, default_value, consequence;
};
const std::vector<FieldHelp>& contract_fields();

}  // namespace ulpgate
