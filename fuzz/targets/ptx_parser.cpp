// Any text as PTX, and every kernel in it decoded: an error with its line, or a program.
#include "fuzz/check/check.hpp"
#include "impls/cuda/ptx/decode.hpp"
#include "impls/cuda/ptx/error.hpp"

using namespace ulpgate;
using fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto module = ptx::parse_module(std::string(reinterpret_cast<const char*>(data), size));
        for (const auto& kernel : module.kernels) {
            try {
                const auto program = ptx::decode(module, kernel);
                check(program.code.size() == program.text.size(), "{}: instructions without a text", kernel.name);
                for (const auto fuse : ptx::ensemble(kernel)) ptx::decode(module, ptx::contracted(kernel, fuse));
            } catch (const ptx::Error& e) {
                check(*e.what(), "an error without words");
            }
        }
    } catch (const ptx::Error& e) {
        check(*e.what(), "an error without words");
    }
    return 0;
}
