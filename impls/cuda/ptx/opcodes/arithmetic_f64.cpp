// f64 arithmetic: sums that a kernel keeps in double.
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

void add(OpcodeTable& t) {
    t.add("add.f64 add.rn.f64", pure<[](f64 a, f64 b) { return nan_as_one(a + b); }>());
    t.add("sub.f64 sub.rn.f64", pure<[](f64 a, f64 b) { return nan_as_one(a - b); }>());
    t.add("mul.f64 mul.rn.f64", pure<[](f64 a, f64 b) { return nan_as_one(a * b); }>());
    t.add("fma.rn.f64", pure<[](f64 a, f64 b, f64 c) { return nan_as_one(__builtin_fma(a, b, c)); }>());
    t.add("div.rn.f64", pure<[](f64 a, f64 b) { return nan_as_one(a / b); }>());
    t.add("rcp.rn.f64", pure<[](f64 a) { return nan_as_one(1.0 / a); }>());
    t.add("sqrt.rn.f64", pure<[](f64 a) { return nan_as_one(__builtin_sqrt(a)); }>());
    t.add("neg.f64", pure<[](f64 a) { return std::bit_cast<f64>(std::bit_cast<u64>(a) ^ 0x8000000000000000ull); }>());
    t.add("abs.f64", pure<[](f64 a) { return std::bit_cast<f64>(std::bit_cast<u64>(a) & 0x7fffffffffffffffull); }>());
}

}  // namespace

PIECE(ptx::OpcodeGroup, arithmetic_f64) = {"f64 arithmetic, to nearest", add};

}  // namespace ulpgate::opcodes
