// Opcodes by what their names say: each integer operation, comparison and selection of the table against wide integers or the order
// of the reals, on all pairs of edges; double-precision arithmetic against exact numbers. What no test runs is listed by name.
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "impls/cuda/ptx/lanes_test.hpp"
#include "impls/cuda/ptx/opcode.hpp"
#include "reference/base/file.hpp"
#include "reference/base/rng.hpp"
#include "reference/base/text.hpp"
#include "reference/exact/dyadic.hpp"

namespace ulpgate::ptx::testing {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Natural;
using Words = std::vector<std::string>;

Words words(const std::string& name) {
    Words out;
    for (const auto p : split(name, '.')) out.emplace_back(p);
    return out;
}
struct Type {
    bool sign = false, real = false;
    int bits = 0;
};
bool type_of(const std::string& name, Type& t) {
    if (name.size() < 2 || !parse_integer(std::string_view(name).substr(1), t.bits)) return false;
    t.sign = name[0] == 's';
    t.real = name[0] == 'f';
    return t.sign || t.real || name[0] == 'u' || name[0] == 'b';
}
std::uint64_t cut(std::uint64_t w, int bits) { return bits == 64 ? w : w & ((std::uint64_t{1} << bits) - 1); }
Wide value(std::uint64_t w, const Type& t) { return t.sign && w >> (t.bits - 1) & 1 ? Wide{w} - (Wide{1} << t.bits) : Wide{w}; }

// Edges of every width: each pair of them.
std::vector<Values> pairs(int a_bits, int b_bits) {
    const Values edges{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 100, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x12345678, 0x7fffffff, 0x80000000, 0x80000001,
                       0xfffffffe, 0xffffffff, 0x100000000, 0x123456789abcdef0, 0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff};
    std::vector<Values> out(2);
    for (const auto a : edges)
        for (const auto b : edges) out[0].push_back(cut(a, a_bits)), out[1].push_back(cut(b, b_bits));
    return out;
}

// The result of an integer operation, or false where the PTX ISA leaves it open (division by zero).
bool integer(const std::string& op, const Type& t, Wide a, Wide b, Wide c, Wide& r) {
    const auto shift = static_cast<int>(std::min<Wide>(b, t.bits));
    if (op == "add") r = a + b;
    else if (op == "sub") r = a - b;
    else if (op == "mul.lo" || op == "mul.wide") r = static_cast<Wide>(static_cast<Natural>(a) * static_cast<Natural>(b));
    else if (op == "mul.hi") r = t.sign || t.bits < 64 ? a * b >> t.bits : static_cast<Wide>(static_cast<Natural>(a) * static_cast<Natural>(b) >> 64);
    else if (op == "mad.lo" || op == "mad.wide") r = static_cast<Wide>(static_cast<Natural>(a) * static_cast<Natural>(b) + static_cast<Natural>(c));
    else if (op == "div" && b) r = a / b;
    else if (op == "rem" && b) r = a % b;
    else if (op == "min") r = std::min(a, b);
    else if (op == "max") r = std::max(a, b);
    else if (op == "neg") r = -a;
    else if (op == "abs") r = a < 0 ? -a : a;
    else if (op == "and") r = a & b;
    else if (op == "or") r = a | b;
    else if (op == "xor") r = a ^ b;
    else if (op == "not") r = ~a;
    else if (op == "shl") r = shift == t.bits ? 0 : static_cast<Wide>(static_cast<Natural>(a) << shift);
    else if (op == "shr") r = a >> shift;
    else return false;
    return true;
}

bool is_integer(const std::string& name, std::string& op, Type& t) {
    const auto w = words(name);
    static const std::set<std::string> ops{"add", "sub", "mul.lo", "mul.hi", "mul.wide", "mad.lo", "mad.wide", "div", "rem", "min", "max", "neg", "abs", "and", "or", "xor", "not", "shl", "shr"};
    if (w.size() < 2 || w.size() > 3 || !type_of(w.back(), t) || t.real) return false;
    op = w.size() == 3 ? w[0] + "." + w[1] : w[0];
    return ops.contains(op);
}

TEST(PtxOpcodes, EveryIntegerOperationIsWhatItsNameSays) {
    int n = 0;
    for (const auto& name : opcode_table().names()) {
        std::string op;
        Type t;
        if (!is_integer(name, op, t)) continue;
        ++n;
        const bool one = op == "neg" || op == "abs" || op == "not", shifts = op == "shl" || op == "shr", wide = op.ends_with("wide"), three = op.starts_with("mad");
        const int out = wide ? 2 * t.bits : t.bits, b_bits = shifts ? 32 : t.bits;
        auto x = pairs(t.bits, b_bits);
        std::vector<int> in{t.bits, b_bits};
        if (one) x.pop_back(), in.pop_back();
        if (three) {
            x.emplace_back(x[0].rbegin(), x[0].rend());
            for (std::size_t k = 0; k < x[2].size(); ++k) x[2][k] = cut(x[2][k] * 0x9e3779b97f4a7c15 >> 7, out);
            in.push_back(out);
        }
        const auto y = apply(name, out, in, x);
        for (std::size_t k = 0; k < y.size(); ++k) {
            Wide right = 0;
            const Wide a = value(x[0][k], t), b = one ? 0 : shifts ? Wide{x[1][k]} : value(x[1][k], t), c = three ? value(x[2][k], {t.sign, false, out}) : 0;
            if (!integer(op, t, a, b, c, right)) continue;
            ASSERT_EQ(y[k], cut(static_cast<std::uint64_t>(right), out)) << name << " of " << std::hex << x[0][k] << ", " << (one ? 0 : x[1][k]);
        }
    }
    EXPECT_GT(n, 70);
}

// -1, 0, 1, or 2 where a NaN stands.
int order(std::uint64_t a, std::uint64_t b, const Type& t, bool flushes) {
    if (!t.real) return value(a, t) < value(b, t) ? -1 : value(a, t) > value(b, t);
    const auto real_of = [&](std::uint64_t w) -> double {
        if (t.bits == 64) return std::bit_cast<double>(w);
        const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(w));
        return flushes && std::fpclassify(f) == FP_SUBNORMAL ? 0 : f;
    };
    const double p = real_of(a), q = real_of(b);
    return std::isnan(p) || std::isnan(q) ? 2 : p < q ? -1 : p > q;
}
bool holds(std::string cmp, int o) {
    if (cmp == "num") return o != 2;
    if (cmp == "nan") return o == 2;
    if (cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs") cmp = cmp == "lo" ? "lt" : cmp == "ls" ? "le" : cmp == "hi" ? "gt" : "ge";
    if (o == 2) return cmp.size() == 3;  // ltu ... neu
    cmp.resize(2);
    return cmp == "lt" ? o < 0 : cmp == "le" ? o <= 0 : cmp == "gt" ? o > 0 : cmp == "ge" ? o >= 0 : cmp == "eq" ? o == 0 : o != 0;
}

TEST(PtxOpcodes, EveryComparisonIsWhatItsNameSays) {
    int n = 0;
    const Values f32{0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001},
        f64{0, 0x8000000000000000, 1, 0x3ff0000000000000, 0x3ff0000000000001, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000};
    for (const auto& name : opcode_table().names()) {
        if (!name.starts_with("setp.")) continue;
        ++n;
        const auto w = words(name);
        Type t;
        ASSERT_TRUE(type_of(w.back(), t)) << name;
        std::vector<Values> x(2);
        if (t.real)
            for (const auto a : t.bits == 32 ? f32 : f64)
                for (const auto b : t.bits == 32 ? f32 : f64) x[0].push_back(a), x[1].push_back(b);
        else x = pairs(t.bits, t.bits);
        const std::string join = w.size() > 3 ? w[2] : "";
        const bool joined = join == "and" || join == "or" || join == "xor", flushes = name.find(".ftz") != name.npos;
        const auto y = joined ? apply("and.b32 r6, t, 1;\nsetp.eq.s32 p1, r6, 1;\n" + name, 1, {t.bits, t.bits}, x, ", p1") : apply(name, 1, {t.bits, t.bits}, x);
        for (std::size_t k = 0; k < y.size(); ++k) {
            const bool r = holds(w[1], order(x[0][k], x[1][k], t, flushes)), p = k % 256 & 1;
            ASSERT_EQ(y[k], (joined ? join == "and" ? r && p : join == "or" ? r || p : r != p : r) ? 1u : 0u) << name << " of " << std::hex << x[0][k] << ", " << x[1][k];
        }
    }
    EXPECT_GT(n, 300);
}

TEST(PtxOpcodes, EverySelectionTakesOneOfBoth) {
    for (const auto& name : opcode_table().names()) {
        Type t;
        if (!name.starts_with("selp.")) continue;
        ASSERT_TRUE(type_of(words(name).back(), t)) << name;
        const auto x = pairs(t.bits, t.bits);
        const auto y = apply("and.b32 r6, t, 1;\nsetp.eq.s32 p1, r6, 1;\n" + name, t.bits, {t.bits, t.bits}, x, ", p1");
        for (std::size_t k = 0; k < y.size(); ++k) ASSERT_EQ(y[k], x[k % 256 & 1 ? 0 : 1][k]) << name;
    }
}

// A sign is changed in every pattern of bits, NaN's too.
TEST(PtxOpcodes, SignsOfFloats) {
    const auto x = pairs(64, 64)[0];
    for (const auto& [name, bits, flip] : {std::tuple("neg.f16", 16, 0x8000ull), std::tuple("neg.bf16", 16, 0x8000ull), std::tuple("neg.f16x2", 32, 0x80008000ull), std::tuple("neg.bf16x2", 32, 0x80008000ull),
                                           std::tuple("neg.f32", 32, 0x80000000ull), std::tuple("neg.f64", 64, 0x8000000000000000ull)}) {
        Values in = x;
        for (auto& w : in) w = cut(w, bits);
        const auto y = apply(name, bits, {bits}, {in}), z = apply("abs" + std::string(name).substr(3), bits, {bits}, {in});
        for (std::size_t k = 0; k < y.size(); ++k) {
            ASSERT_EQ(y[k], in[k] ^ flip) << name;
            ASSERT_EQ(z[k], in[k] & ~std::uint64_t{flip}) << "abs of " << name;
        }
    }
}

// y is nearest to the exact value: against(v) is the sign of exact - v.
bool nearest(double y, const std::function<int(const Dyadic&)>& against) {
    const auto middle = [&](double to) {
        Dyadic s = dyadic(y) + dyadic(std::nextafter(y, to));
        s.e -= 1;
        return s;
    };
    const bool even = !(std::bit_cast<std::uint64_t>(y) & 1);
    const int below = against(middle(-INFINITY)), above = against(middle(INFINITY));
    return (below > 0 || (below == 0 && even)) && (above < 0 || (above == 0 && even));
}
TEST(PtxOpcodes, F64ArithmeticIsExactlyRounded) {
    Rng rng(11, 1, 0);
    std::vector<Values> x(3);
    for (int k = 0; k < 6000; ++k)
        for (auto& v : x) v.push_back((rng.next() & 0x800fffffffffffffull) | std::uint64_t{1003 + rng.below(40)} << 52);
    const auto at = [&](std::size_t n, std::size_t k) { return std::bit_cast<double>(x[n][k]); };
    const auto exact = [&](std::size_t n, std::size_t k) { return dyadic(at(n, k)); };
    const auto check = [&](const std::string& name, std::size_t arity, const std::function<int(std::size_t, const Dyadic&)>& against) {
        std::vector<Values> in(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(arity));
        if (name.starts_with("sqrt"))
            for (auto& w : in[0]) w &= 0x7fffffffffffffffull;
        const auto y = apply(name, 64, std::vector<int>(arity, 64), in);
        for (std::size_t k = 0; k < y.size(); ++k) {
            const auto v = std::bit_cast<double>(y[k]);
            if (v == 0) continue;
            ASSERT_TRUE(nearest(v, [&](const Dyadic& m) { return against(k, m); })) << name << " element " << k;
        }
        const Values nan(arity, 0x7ff8000000000000ull);
        std::vector<Values> special;
        for (const auto w : nan) special.push_back({w});
        EXPECT_EQ(apply(name, 64, std::vector<int>(arity, 64), special)[0], 0x7fffffffffffffffull) << name;
    };
    const auto minus = [](Dyadic v) {
        v.m = -v.m;
        return v;
    };
    check("add.rn.f64", 2, [&](std::size_t k, const Dyadic& m) { return compare(exact(0, k) + exact(1, k), m); });
    check("sub.rn.f64", 2, [&](std::size_t k, const Dyadic& m) { return compare(exact(0, k) + minus(exact(1, k)), m); });
    check("mul.rn.f64", 2, [&](std::size_t k, const Dyadic& m) { return compare(exact(0, k) * exact(1, k), m); });
    check("fma.rn.f64", 3, [&](std::size_t k, const Dyadic& m) { return compare(exact(0, k) * exact(1, k) + exact(2, k), m); });
    check("div.rn.f64", 2, [&](std::size_t k, const Dyadic& m) { return (at(1, k) < 0 ? -1 : 1) * compare(exact(0, k), m * exact(1, k)); });
    check("rcp.rn.f64", 1, [&](std::size_t k, const Dyadic& m) { return (at(0, k) < 0 ? -1 : 1) * compare(dyadic(1), m * exact(0, k)); });
    check("sqrt.rn.f64", 1, [&](std::size_t k, const Dyadic& m) { return compare(dyadic(std::fabs(at(0, k))), m * m); });
}

// Every opcode is run by a test of this folder: by the families above and those of loads and stores, or by name.
TEST(PtxOpcodes, EveryOneIsTested) {
    std::string tests;
    for (const auto& e : std::filesystem::directory_iterator(ULPGATE_SOURCE "/impls/cuda/ptx"))
        if (e.path().string().ends_with("_test.cpp")) {
            std::string text;
            ASSERT_EQ(read_file(e.path().string(), text), "");
            tests += text;
        }
    // Loops over types that put these names together, and what the machine itself does at them.
    const std::set<std::string> elsewhere{"add.rn.f16", "sub.rn.f16", "mul.rn.f16", "fma.rn.f16", "add.rn.bf16", "sub.rn.bf16", "mul.rn.bf16", "fma.rn.bf16", "add.rn.f16x2", "sub.rn.f16x2",
                                          "mul.rn.f16x2", "fma.rn.f16x2", "add.rn.bf16x2", "sub.rn.bf16x2", "mul.rn.bf16x2", "fma.rn.bf16x2", "abs.f16", "abs.f16x2", "abs.f32", "abs.f64",
                                          "cos.approx.ftz.f32", "sin.approx.ftz.f32", "lg2.approx.ftz.f32", "ex2.approx.ftz.f32", "rcp.approx.ftz.f32", "sqrt.approx.ftz.f32"};
    std::map<Handler, bool> tested;
    std::map<Handler, std::string> name_of;
    for (const auto& name : opcode_table().names()) {
        const auto run = opcode_table().find(name)->run;
        std::string op;
        Type t;
        const auto base = name.substr(0, name.find(':'));
        const bool family = is_integer(name, op, t) || name.starts_with("setp.") || name.starts_with("selp.") || name.starts_with("ld.") || name.starts_with("st.") ||
                            name.starts_with("ldmatrix.") || name.starts_with("mma.") || elsewhere.contains(name);
        tested[run] |= !run || family || tests.find(name) != tests.npos || (base != name && name.find(":minus") == name.npos && tests.find(base) != tests.npos);
        name_of[run] += " " + name;
    }
    for (const auto& [run, yes] : tested) {
        const bool contraction = name_of[run].find("f32:minus") != std::string::npos;  // PtxContraction runs these
        EXPECT_TRUE(yes || contraction) << "no test runs" << name_of[run];
    }
}

}  // namespace
}  // namespace ulpgate::ptx::testing
