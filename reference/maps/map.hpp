// The element map y = f(x, w, r): what one output is once the row's one scalar r is known. Monotone in r for fixed x and w,
// no row and no order in it. A map is f32 arithmetic with named roundings, one file each.
//
// Source of cast_first: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 106-111.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/piece.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate {

struct MapTypes {
    Type x, w, y;     // T is x: the type that cast_first rounds n to
    Gain gain;        // how the gain's bits become its value
};

// Replaces each value by the nearest value of type t; a fault passes another rounding.
using Narrow = void (*)(Type t, std::span<float> v);
void narrow_nearest(Type t, std::span<float> v);

struct MapPiece {
    std::string_view name;  // as contract text: "f32_gain,assoc=xr_w"
    Map map;
    Assoc assoc;
    By by;  // mul: r is the f32 reciprocal rms; div: r is the f32 rms
    // out[j] = f(x[j], w[j], r) as a value of types.y. w holds the gain's values as stored (gain 1+w not yet added);
    // empty where the contract has no gain. x, w, out have one length; out may be x.
    void (*apply)(const MapTypes& types, Narrow narrow, std::span<const float> x, std::span<const float> w, float r,
                  std::span<float> out);
    // How many columns from the left hold y, bit for bit, at the least: apply with narrow_nearest, eight columns at a time and
    // nothing stored, the loop that judging a row runs. The column where it stops may be right all the same (a NaN, fewer than
    // eight left, no AVX2, a type without lanes): apply decides.
    std::size_t (*agreeing)(const MapTypes& types, std::span<const float> x, std::span<const float> w,
                            std::span<const float> y, float r);
};

// The pieces that restate the contract: one, or the three associations where it leaves them open; those of every map where
// it names none. Empty where no piece restates it: why_no_map says in words which field that is.
std::vector<const MapPiece*> maps_for(const Contract&);
std::string why_no_map(const Contract&);
inline MapTypes map_types(const Contract& c) { return {c.x, c.w, c.y, c.gain}; }

namespace maps {
std::span<const MapPiece* const> all();
}

}  // namespace ulpgate
