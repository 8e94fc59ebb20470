// A short body in PTX, run by one block: what it leaves in each thread, or what the machine finds wrong.
#pragma once
#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/lanes_test.hpp"

namespace ulpgate::ptx::testing {

inline constexpr const char* head = ".version 8.0\n.target sm_90\n.address_size 64\n";
inline constexpr const char* registers = ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n.reg .b64 %d<8>;\n";

// A kernel with one pointer y to 4-byte words, one a thread of the block; `body` leaves its result in %r0. What shared memory
// holds is declared before the registers. Line 1 of the body is line 11 of the PTX.
inline std::string kernel(const std::string& body, const std::string& shared = ".shared .align 16 .b8 s[128];") {
    return std::string(head) + ".visible .entry k(.param .u64 y) {\n" + shared + "\n" + registers + body + "mov.u32 %r15, %tid.x;\nld.param.u64 %d0, [y];\nmul.wide.u32 %d1, %r15, 4;\nadd.s64 %d0, %d0, %d1;\nst.global.u32 [%d0], %r0;\nret;\n}\n";
}
struct Ran {
    std::vector<std::uint32_t> y;
    std::string error;
};
inline Ran run_block(const std::string& text, std::uint32_t threads, std::uint32_t dynamic_shared = 0, decltype(Launch::trace) trace = nullptr) {
    Ran r;
    r.y.assign(threads, 0xdeadbeef);
    try {
        const auto module = parse_module(text);
        const auto program = decode(module, module.kernels.at(0));
        Memory memory;
        Launch launch;
        launch.block.x = threads;
        launch.dynamic_shared = dynamic_shared;
        launch.budget = 100000;
        launch.trace = std::move(trace);
        launch.parameters.resize(8);
        auto* p = r.y.data();
        std::memcpy(launch.parameters.data(), &p, 8);
        memory.add("y", p, 4 * threads, true);
        run(program, launch, memory);
    } catch (const Error& e) {
        r.error = e.what();
    }
    return r;
}
inline void expect_error(const std::string& text, std::uint32_t threads, std::initializer_list<const char*> parts) {
    const auto r = run_block(text, threads);
    for (const char* part : parts) EXPECT_NE(r.error.find(part), std::string::npos) << "'" << part << "' in: " << (r.error.empty() ? "no error" : r.error);
}

}  // namespace ulpgate::ptx::testing
