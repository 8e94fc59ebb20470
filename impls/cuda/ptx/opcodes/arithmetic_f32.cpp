// add, sub, mul, fma, div.rn, rcp.rn, sqrt.rn, min, max, neg, abs of f32.
//
// .ftz flushes "subnormal inputs and results to sign-preserving zero" (PTX ISA, "Floating Point Instructions"). A result is what .rn has
// made of the exact value: one that rounds up to 2^-126 is no subnormal and stays. No document says more, and no recorded result of a GPU
// shows the two values of one step below 2^-126 that flushing before rounding would make zero; `ulpgate doctor --gpu` asks for them
// (impls/cuda/probe). No verdict on a sum hangs on it: ftz=sum allows less than 2^-126 for each flush, of either kind.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

void add(OpcodeTable& t) {
    t.add("add.f32 add.rn.f32", pure<[](f32 a, f32 b) { return nan_as_one(a + b); }>());
    t.add("sub.f32 sub.rn.f32", pure<[](f32 a, f32 b) { return nan_as_one(a - b); }>());
    t.add("mul.f32 mul.rn.f32", pure<[](f32 a, f32 b) { return nan_as_one(a * b); }>());
    t.add("fma.rn.f32 mad.rn.f32", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(__builtin_fmaf(a, b, c)); }>());
    // What a subtraction contracts to; no PTX says so.
    t.add("fma.rn.f32:minus_c", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(__builtin_fmaf(a, b, -c)); }>());
    t.add("fma.rn.f32:minus_ab", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(__builtin_fmaf(-a, b, c)); }>());
    t.add("fma.rn.ftz.f32:minus_c", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(flush(__builtin_fmaf(flush(a), flush(b), -flush(c)))); }>());
    t.add("fma.rn.ftz.f32:minus_ab", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(flush(__builtin_fmaf(-flush(a), flush(b), flush(c)))); }>());
    t.add("div.rn.f32", pure<[](f32 a, f32 b) { return nan_as_one(a / b); }>());
    t.add("rcp.rn.f32", pure<[](f32 a) { return nan_as_one(1.0f / a); }>());
    t.add("sqrt.rn.f32", pure<[](f32 a) { return nan_as_one(__builtin_sqrtf(a)); }>());
    t.add("min.f32", pure<[](f32 a, f32 b) { return smaller(a, b); }>());
    t.add("max.f32", pure<[](f32 a, f32 b) { return larger(a, b); }>());
    t.add("neg.f32", pure<[](f32 a) { return real(word(a) ^ 0x80000000u); }>());
    t.add("abs.f32", pure<[](f32 a) { return real(word(a) & 0x7fffffffu); }>());

    t.add("add.ftz.f32 add.rn.ftz.f32", pure<[](f32 a, f32 b) { return nan_as_one(flush(flush(a) + flush(b))); }>());
    t.add("sub.ftz.f32 sub.rn.ftz.f32", pure<[](f32 a, f32 b) { return nan_as_one(flush(flush(a) - flush(b))); }>());
    t.add("mul.ftz.f32 mul.rn.ftz.f32", pure<[](f32 a, f32 b) { return nan_as_one(flush(flush(a) * flush(b))); }>());
    t.add("fma.rn.ftz.f32 mad.rn.ftz.f32", pure<[](f32 a, f32 b, f32 c) { return nan_as_one(flush(__builtin_fmaf(flush(a), flush(b), flush(c)))); }>());
    t.add("div.rn.ftz.f32", pure<[](f32 a, f32 b) { return nan_as_one(flush(flush(a) / flush(b))); }>());
    t.add("rcp.rn.ftz.f32", pure<[](f32 a) { return nan_as_one(flush(1.0f / flush(a))); }>());
    t.add("sqrt.rn.ftz.f32", pure<[](f32 a) { return nan_as_one(__builtin_sqrtf(flush(a))); }>());
    t.add("min.ftz.f32", pure<[](f32 a, f32 b) { return smaller(flush(a), flush(b)); }>());
    t.add("max.ftz.f32", pure<[](f32 a, f32 b) { return larger(flush(a), flush(b)); }>());
    t.add("neg.ftz.f32", pure<[](f32 a) { return real(word(flush(a)) ^ 0x80000000u); }>());
    t.add("abs.ftz.f32", pure<[](f32 a) { return real(word(flush(a)) & 0x7fffffffu); }>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, arithmetic_f32) = {"f32 arithmetic, to nearest", add};

}  // namespace ulpgate::opcodes
