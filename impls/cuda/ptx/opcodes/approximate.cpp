// Approximate instructions. PTX documents a bound, not a value: the machine gives the nearest float, or the lowest or highest
// within the bound (Launch::approximate), so that a verdict can be asked of all of them.
#include <algorithm>
#include <cmath>

#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

struct Bound {
    f64 relative, absolute;
    int ulps = 0;
};

// exact: in double, far better than the bound.
f32 pick(f64 exact, Bound b, Approximate how) {
    const f32 nearest = static_cast<f32>(exact);
    if (!std::isfinite(exact) || exact == 0 || how == Approximate::nearest) return nearest;
    const f64 slack = std::fabs(exact) * b.relative + b.absolute + (b.ulps ? std::ldexp(b.ulps, std::max(std::ilogb(exact), -126) - 23) : 0);
    const f64 edge = how == Approximate::low ? exact - slack : exact + slack;
    f32 f = static_cast<f32>(edge);
    if (how == Approximate::low && f < edge) f = std::nextafterf(f, INFINITY);
    if (how == Approximate::high && f > edge) f = std::nextafterf(f, -INFINITY);
    return f;
}

// Which argument lies in `x` is flushed where ftz; so is the result.
template <f64 (*f)(f64), bool ftz, Bound (*bound)(f64)>
void unary(Warp& w, const Instruction& i, const Mask& m) {
    const f32* a = w.lane<f32>(i.o[1]);
    f32* d = w.lane<f32>(i.o[0]);
    const Approximate how = w.block->launch->approximate;
    f32 last = 0, result = 0;
    bool known = false;
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const f32 x = ftz ? flush(a[l]) : a[l];
        if (!known || word(x) != word(last)) {  // a row's scalar is the same in every lane
            const f32 r = pick(f(x), bound(x), how);
            result = nan_as_one(ftz ? flush(r) : r);
            last = x;
            known = true;
        }
        d[l] = result;
    }
}
template <f64 (*f)(f64), Bound (*bound)(f64)>
void add_unary(OpcodeTable& t, const std::string& name) {
    Opcode o{{slot_of<f32>(true), slot_of<f32>(false)}, unary<f, false, bound>};
    t.add(name + ".f32", o);
    o.run = unary<f, true, bound>;
    t.add(name + ".ftz.f32", o);
}

template <int ulps>
Bound in_ulps(f64) { return {0, 0, ulps}; }
Bound of_rsqrt(f64) { return {0x1.125fp-23, 0}; }  // 2^-22.9
Bound of_sqrt(f64) { return {0x1p-23, 0}; }
Bound of_ex2(f64) { return {0x1p-22, 0}; }  // 2 ulp
Bound of_lg2(f64 x) { return x >= 0.5 && x <= 2 ? Bound{0, 0x1p-22} : Bound{0x1p-22, 0}; }
Bound of_sine(f64) { return {0, 0x1.6ap-21}; }  // 2^-20.5 within [-pi, pi]
Bound of_tanh(f64) { return {0x1p-11, 0}; }
f64 rsqrt(f64 x) { return 1.0 / std::sqrt(x); }
f64 reciprocal(f64 x) { return 1.0 / x; }

template <bool ftz>
void divide(Warp& w, const Instruction& i, const Mask& m) {
    const f32 *a = w.lane<f32>(i.o[1]), *b = w.lane<f32>(i.o[2]);
    f32* d = w.lane<f32>(i.o[0]);
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const f64 x = ftz ? flush(a[l]) : a[l], y = ftz ? flush(b[l]) : b[l];
        const f32 r = pick(x / y, in_ulps<2>(0), w.block->launch->approximate);
        d[l] = nan_as_one(ftz ? flush(r) : r);
    }
}

void add(OpcodeTable& t) {
    add_unary<rsqrt, of_rsqrt>(t, "rsqrt.approx");
    add_unary<reciprocal, in_ulps<1>>(t, "rcp.approx");
    add_unary<std::sqrt, of_sqrt>(t, "sqrt.approx");
    add_unary<std::exp2, of_ex2>(t, "ex2.approx");
    add_unary<std::log2, of_lg2>(t, "lg2.approx");
    add_unary<std::sin, of_sine>(t, "sin.approx");
    add_unary<std::cos, of_sine>(t, "cos.approx");
    t.add("tanh.approx.f32", {{slot_of<f32>(true), slot_of<f32>(false)}, unary<std::tanh, false, of_tanh>});
    const std::vector<Slot> three{slot_of<f32>(true), slot_of<f32>(false), slot_of<f32>(false)};
    t.add("div.full.f32 div.approx.f32", {three, divide<false>});
    t.add("div.full.ftz.f32 div.approx.ftz.f32", {three, divide<true>});
}

}  // namespace

PIECE(ptx::OpcodeGroup, approximate) = {"approximations, as sets", add};

}  // namespace ulpgate::opcodes
