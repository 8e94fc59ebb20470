// Any text as PTX, every kernel run by two warps on small buffers: whatever it does, it reads and writes these alone, and ends
// by itself, by an error or by its budget.
#include <array>
#include <cstring>

#include "fuzz/check/check.hpp"
#include "impls/cuda/ptx/decode.hpp"
#include "impls/cuda/ptx/error.hpp"

using namespace ulpgate;
using fuzzing::check;

static void run(const ptx::Program& program) {
    constexpr std::size_t words = 64, apart = 16;
    std::array<std::uint32_t, words + 2 * apart> x{}, y{};
    x.fill(0x3f800000);
    y.fill(0xc0ffee00);
    ptx::Memory memory;
    memory.add("x", x.data() + apart, words * 4, false);
    memory.add("y", y.data() + apart, words * 4, true);
    ptx::Launch launch;
    launch.block = {48, 1, 1};
    launch.grid = {2, 1, 1};
    launch.budget = 4096;
    launch.shared_limit = 4096;
    launch.parameters.resize(program.parameter_bytes);
    // Pointers where eight bytes are, numbers after them.
    const std::uint64_t values[] = {reinterpret_cast<std::uint64_t>(x.data() + apart), reinterpret_cast<std::uint64_t>(y.data() + apart), words, 3, 1};
    for (std::size_t k = 0; k < std::size(values) && 8 * k < launch.parameters.size(); ++k)
        std::memcpy(launch.parameters.data() + 8 * k, &values[k], std::min<std::size_t>(8, launch.parameters.size() - 8 * k));
    try {
        ptx::run(program, launch, memory);
    } catch (const ptx::Error& e) {
        check(*e.what(), "an error without words");
    }
    for (const auto w : x) check(w == 0x3f800000, "{} wrote to its input", program.kernel);
    for (std::size_t k = 0; k < apart; ++k)
        check(y[k] == 0xc0ffee00 && y[words + apart + k] == 0xc0ffee00, "{} wrote beside its output", program.kernel);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto module = ptx::parse_module(std::string(reinterpret_cast<const char*>(data), size));
        for (const auto& kernel : module.kernels) run(ptx::decode(module, kernel));
    } catch (const ptx::Error& e) {
        check(*e.what(), "an error without words");
    }
    return 0;
}
