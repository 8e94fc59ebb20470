// One opcode on many operands: a kernel is written around it, thread i takes element i of each input.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "impls/cuda/ptx/decode.hpp"
#include "impls/cuda/ptx/machine.hpp"
#include "impls/cuda/ptx/module.hpp"

namespace ulpgate::ptx::testing {

using Values = std::vector<std::uint64_t>;

inline const char* load_type(int bits) { return bits == 16 ? "u16" : bits == 32 ? "u32" : "u64"; }
inline char letter(int bits) { return bits == 16 ? 'h' : bits == 32 ? 'r' : 'd'; }

// The kernel's text: operands of `in` bits each, a result of `out` bits (1: a predicate, stored as 0 or 1).
inline std::string around(const std::string& opcode, int out, const std::vector<int>& in, const std::string& more = "") {
    std::string s = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 y";
    for (std::size_t k = 0; k < in.size(); ++k) s += ", .param .u64 x" + std::to_string(k);
    s += ")\n{\n.reg .pred p<4>;\n.reg .b16 h<8>;\n.reg .b32 r<8>;\n.reg .b64 d<8>;\n.reg .b32 i, b, t;\n.reg .b64 a, o;\n"
         "mov.u32 t, %tid.x;\nmov.u32 b, %ctaid.x;\nmad.lo.s32 i, b, 256, t;\n";
    std::string operands;
    for (std::size_t k = 0; k < in.size(); ++k) {
        const auto n = std::to_string(k);
        s += "ld.param.u64 a, [x" + n + "];\nmul.wide.u32 o, i, " + std::to_string(in[k] / 8) + ";\nadd.s64 a, a, o;\n";
        s += std::string("ld.global.") + load_type(in[k]) + " " + letter(in[k]) + n + ", [a];\n";
        operands += std::string(", ") + letter(in[k]) + n;
    }
    const std::string result = out == 1 ? "p0" : std::string(1, letter(out)) + "7";
    s += opcode + " " + result + operands + more + ";\n";
    if (out == 1) s += "selp.u32 r7, 1, 0, p0;\n";
    const int width = out == 1 ? 32 : out;
    s += "ld.param.u64 a, [y];\nmul.wide.u32 o, i, " + std::to_string(width / 8) + ";\nadd.s64 a, a, o;\n";
    s += std::string("st.global.") + load_type(width) + " [a], " + letter(width) + "7;\nret;\n}\n";
    return s;
}

inline Values apply(const std::string& opcode, int out, const std::vector<int>& in, const std::vector<Values>& x, const std::string& more = "",
                    Approximate how = Approximate::nearest) {
    const auto module = parse_module(around(opcode, out, in, more));
    const auto program = decode(module, module.kernels[0]);
    const std::size_t n = x[0].size(), blocks = (n + 255) / 256, width = static_cast<std::size_t>(out == 1 ? 32 : out) / 8;
    Memory memory;
    Launch launch;
    launch.grid.x = static_cast<std::uint32_t>(blocks);
    launch.block.x = 256;
    launch.approximate = how;
    launch.parameters.resize(8 * (in.size() + 1));
    std::vector<std::vector<std::uint8_t>> buffers;
    const auto place = [&](std::size_t k, std::size_t bytes, bool writable) {
        auto& b = buffers.emplace_back(bytes + 64);
        auto* p = b.data() + (64 - reinterpret_cast<std::uintptr_t>(b.data()) % 64);
        std::memcpy(launch.parameters.data() + 8 * k, &p, 8);
        memory.add("buffer", p, bytes, writable);
        return p;
    };
    buffers.reserve(in.size() + 1);
    const auto* y = place(0, 256 * blocks * width, true);
    for (std::size_t k = 0; k < in.size(); ++k) {
        const auto size = static_cast<std::size_t>(in[k]) / 8;
        auto* p = place(k + 1, 256 * blocks * size, false);
        for (std::size_t j = 0; j < n; ++j) std::memcpy(p + j * size, &x[k][j], size);
    }
    run(program, launch, memory);
    Values result(n, 0);
    for (std::size_t j = 0; j < n; ++j) std::memcpy(&result[j], y + j * width, width);
    return result;
}

}  // namespace ulpgate::ptx::testing
