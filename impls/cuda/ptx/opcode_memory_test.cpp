// Every load and store in the table, by what its name says: bytes that are known go through it, in the lanes' order (which moves
// as one piece), in another order, and under a guard.
#include <fmt/format.h>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/lanes_test.hpp"
#include "impls/cuda/ptx/opcode.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::ptx::testing {
namespace {

struct Access {
    std::string opcode;  // as PTX has it
    bool load, shared, sign, wide;  // wide: into a register of 64 bits, whose upper half the sign or 0 fills
    std::size_t bytes, count;  // of an element; elements
};
Access access(const std::string& name) {
    const std::string opcode = name.ends_with(":wide") ? name.substr(0, name.size() - 5) : name;
    const auto parts = split(opcode, '.');
    const auto type = parts.back();
    std::int64_t bits = 0;
    EXPECT_TRUE(parse_integer(type.substr(1), bits)) << opcode;
    Access a{opcode, parts[0] == "ld", opcode.find("shared") != opcode.npos, type[0] == 's', name.ends_with(":wide"), static_cast<std::size_t>(bits) / 8, 1};
    for (const auto p : parts)
        if (p == "v2" || p == "v4") a.count = static_cast<std::size_t>(p[1] - '0');
    return a;
}

enum class How { in_order, another_order, guarded };
constexpr std::uint32_t threads = 32;
// The lane whose place lane t takes.
std::uint32_t place(How how, std::uint32_t t) { return how == How::another_order ? t ^ 5u : t; }
bool runs(How how, std::uint32_t t) { return how != How::guarded || t % 2; }

// x -> y by the opcode. A load's elements leave as words of 4 or 8 bytes, a store's come so; the other side is bytes.
std::string kernel_of(const Access& a, How how) {
    const std::size_t word = a.bytes == 8 || a.wide ? 8 : 4, vector = a.bytes * a.count;
    const char r = word == 8 ? 'd' : 'r';
    const auto w = word * 8;
    std::string s = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 y, .param .u64 x) {\n.shared .align 16 .b8 s[512];\n"
                    ".reg .pred p;\n.reg .b32 r<5>;\n.reg .b32 t, i, m;\n.reg .b64 d<5>;\n.reg .b64 xa, ya, o;\nmov.u32 t, %tid.x;\nand.b32 i, t, 1;\nsetp.eq.u32 p, i, 1;\n";
    s += fmt::format("xor.b32 i, t, {};\n", how == How::another_order ? 5 : 0);
    const auto address = [&](const char* to, const char* parameter, const char* lane, std::size_t bytes) {
        s += fmt::format("ld.param.u64 {0}, [{1}];\nmul.wide.u32 o, {2}, {3};\nadd.s64 {0}, {0}, o;\n", to, parameter, lane, bytes);
    };
    std::string registers;
    for (std::size_t k = 0; k < a.count; ++k) registers += fmt::format("{}{}{}", k ? ", " : "", r, k);
    if (a.count > 1) registers = "{" + registers + "}";
    const std::string guard = how == How::guarded ? "@p " : "";
    const auto shared_place = [&](const char* lane) { s += fmt::format("mov.u32 m, s;\nmad.lo.s32 m, {}, {}, m;\n", lane, vector); };
    const std::string at = a.shared ? "m" : a.load ? "xa" : "ya";
    if (a.load) {
        address("xa", "x", a.shared ? "t" : "i", vector);
        if (a.shared) {
            shared_place("t");
            for (std::size_t k = 0; k < vector; ++k) s += fmt::format("ld.global.u8 r4, [xa+{0}];\nst.shared.u8 [m+{0}], r4;\n", k);
            s += "bar.sync 0;\n";
            shared_place("i");
        }
        for (std::size_t k = 0; k < a.count; ++k) s += fmt::format("mov.u{} {}{}, 7;\n", w, r, k);
        s += fmt::format("{}{} {}, [{}];\n", guard, a.opcode, registers, at);
        address("ya", "y", "t", word * a.count);
        for (std::size_t k = 0; k < a.count; ++k) s += fmt::format("st.global.u{} [ya+{}], {}{};\n", w, word * k, r, k);
    } else {
        address("xa", "x", "t", word * a.count);
        for (std::size_t k = 0; k < a.count; ++k) s += fmt::format("ld.global.u{} {}{}, [xa+{}];\n", w, r, k, word * k);
        address("ya", "y", a.shared ? "t" : "i", vector);
        if (a.shared) shared_place("i");
        s += fmt::format("{}{} [{}], {};\n", guard, a.opcode, at, registers);
        if (a.shared) {
            s += "bar.sync 0;\n";
            shared_place("t");
            for (std::size_t k = 0; k < vector; ++k) s += fmt::format("ld.shared.u8 r4, [m+{0}];\nst.global.u8 [ya+{0}], r4;\n", k);
        }
    }
    return s + "ret;\n}\n";
}

using Bytes = std::vector<std::uint8_t>;
Bytes run_with(const std::string& text, const Bytes& x, std::size_t out) {
    const auto module = parse_module(text);
    const auto program = decode(module, module.kernels.at(0));
    std::vector<std::uint64_t> in((x.size() + 15) / 8 + 2), memory((out + 15) / 8 + 2, 0x6b6b6b6b6b6b6b6bull);
    const auto aligned = [](std::vector<std::uint64_t>& v) { return reinterpret_cast<std::uint8_t*>(v.data()) + (16 - reinterpret_cast<std::uintptr_t>(v.data()) % 16) % 16; };
    auto *from = aligned(in), *to = aligned(memory);
    std::memcpy(from, x.data(), x.size());
    Launch launch;
    launch.block.x = threads;
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &to, 8);
    std::memcpy(launch.parameters.data() + 8, &from, 8);
    Memory m;
    m.add("y", to, out, true);
    m.add("x", from, x.size(), false);
    run(program, launch, m);
    return {to, to + out};
}

void check(const Access& a, How how) {
    const std::size_t word = a.bytes == 8 || a.wide ? 8 : 4, wide = word * a.count, narrow = a.bytes * a.count;
    Bytes x(threads * (a.load ? narrow : wide));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<std::uint8_t>(37 * k + (k >> 3) + 129);
    Bytes right(threads * (a.load ? wide : narrow), a.load ? 0 : 0x6b);
    for (std::uint32_t t = 0; t < threads; ++t)
        for (std::size_t k = 0; k < a.count; ++k) {
            const std::size_t w = t * wide + k * word, n = place(how, t) * narrow + k * a.bytes;
            if (!runs(how, t)) {
                if (a.load) right[w] = 7;
                continue;
            }
            if (!a.load) {
                std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(w), a.bytes, right.begin() + static_cast<std::ptrdiff_t>(n));
                continue;
            }
            const bool negative = a.sign && x[n + a.bytes - 1] & 0x80;
            for (std::size_t b = 0; b < word; ++b) right[w + b] = b < a.bytes ? x[n + b] : negative ? 0xff : 0;
        }
    ASSERT_EQ(run_with(kernel_of(a, how), x, right.size()), right) << a.opcode << ", way " << static_cast<int>(how) << "\n" << kernel_of(a, how);
}

TEST(PtxOpcodes, EveryLoadAndStoreMovesItsBytes) {
    std::size_t n = 0;
    for (const auto& name : opcode_table().names()) {
        if (!(name.starts_with("ld.") || name.starts_with("st.")) || name.starts_with("ld.param")) continue;
        const auto a = access(name);
        for (const auto how : {How::in_order, How::another_order, How::guarded})
            if (how != How::guarded || !a.shared) check(a, how);
        ++n;
    }
    EXPECT_GT(n, 800u);
}
TEST(PtxOpcodes, EveryLoadOfAParameterExtendsIt) {
    for (const auto& name : opcode_table().names()) {
        if (!name.starts_with("ld.param.")) continue;
        const auto a = access(name);
        const std::size_t word = a.bytes == 8 || a.wide ? 8 : 4;
        std::string to, stores;
        for (std::size_t k = 0; k < a.count; ++k) {
            to += fmt::format("{}{}{}", k ? ", " : "", word == 8 ? "d" : "r", k);
            stores += fmt::format("st.global.u{} [ya+{}], {}{};\n", 8 * word, word * k, word == 8 ? "d" : "r", k);
        }
        const auto text = fmt::format(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 y, .param .align 16 .b8 x[32]) {{\n.reg .b32 r<4>;\n.reg .b64 d<4>, ya;\n"
                                      "{} {}, [x];\nld.param.u64 ya, [y];\n{}ret;\n}}\n", a.opcode, a.count > 1 ? "{" + to + "}" : to, stores);
        Bytes x(32), y(word * a.count), right(y.size());
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<std::uint8_t>(0xff - 17 * k);
        for (std::size_t k = 0; k < a.count; ++k)
            for (std::size_t byte = 0; byte < word; ++byte)
                right[k * word + byte] = byte < a.bytes ? x[k * a.bytes + byte] : a.sign && x[k * a.bytes + a.bytes - 1] & 0x80 ? 0xff : 0;
        const auto module = parse_module(text);
        Launch launch;
        launch.parameters.resize(48);
        auto* p = y.data();
        std::memcpy(launch.parameters.data(), &p, 8);
        std::memcpy(launch.parameters.data() + 16, x.data(), x.size());
        Memory m;
        m.add("y", p, y.size(), true);
        run(decode(module, module.kernels.at(0)), launch, m);
        EXPECT_EQ(y, right) << name;
    }
}

// At an address in a register the last byte is read and none past it.
TEST(PtxOpcodes, ParametersEndAtTheirLastByte) {
    for (const auto& [type, offset, right] : {std::tuple{"u8", 2, 0x33u}, {"u16", 0, 0x2211u}, {"u16", 2, 0u}, {"u8", 3, 0u}, {"u8", -9, 0u}}) {
        const auto text = fmt::format(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 y, .param .align 1 .b8 x[3]) {{\n.reg .b32 r;\n.reg .b64 at, ya;\n"
                                      "mov.b64 at, x;\nld.param.{} r, [at{:+}];\nld.param.u64 ya, [y];\nst.global.u32 [ya], r;\nret;\n}}\n", type, offset);
        std::uint32_t y = 0;
        auto* p = &y;
        Launch launch;
        launch.parameters = Bytes(8);
        std::memcpy(launch.parameters.data(), &p, 8);
        launch.parameters.insert(launch.parameters.end(), {0x11, 0x22, 0x33});
        Memory m;
        m.add("y", p, sizeof y, true);
        std::string error;
        try {
            const auto module = parse_module(text);
            run(decode(module, module.kernels.at(0)), launch, m);
        } catch (const Error& e) {
            error = e.what();
        }
        EXPECT_EQ(error.find("of the parameters, which have 11") != std::string::npos, !right) << type << " " << offset << ": " << error;
        EXPECT_EQ(y, right) << type << " " << offset;
    }
}

}  // namespace
}  // namespace ulpgate::ptx::testing
