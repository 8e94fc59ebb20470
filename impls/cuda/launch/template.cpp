// --launch-template: a description of every kernel in a PTX file, as far as the PTX tells.
#include <fmt/format.h>

#include "impls/cuda/launch/description.hpp"
#include "impls/cuda/ptx/module.hpp"

namespace ulpgate::launch {
namespace {

std::string parameters(const ptx::KernelText& k) {
    std::string s;
    int pointers = 0;
    constexpr const char* guesses[] = {"x", "w", "y", "residual", "residual_out"};
    for (const auto& p : k.parameters) {
        if (!s.empty()) s += ", ";
        if (p.aggregate) s += fmt::format("[\"ptr\", \"x\"] <- {} is a struct of {} bytes: one pair a member", p.name, p.size);
        else if (p.size == 8) s += fmt::format("[\"ptr\", \"{}\"]", guesses[std::min(pointers++, 4)]);
        else if (p.size == 4) s += "[\"i32\", \"d\"]";
        else s += "[\"i8\", \"1\"]";
    }
    return s;
}

std::string block(const ptx::KernelText& k) {
    const auto& r = k.required_block;
    if (!r[0]) return std::to_string(k.max_threads ? k.max_threads : 256);
    return r[1] * r[2] == 1 ? std::to_string(r[0]) : fmt::format("[\"{}\", \"{}\", \"{}\"]", r[0], r[1], r[2]);
}

}  // namespace

std::string launch_template(const std::string& ptx_path, const std::string& ptx_source) {
    const auto module = ptx::parse_module(ptx_source);
    const auto slash = ptx_path.rfind('/');
    std::string s = fmt::format(
        "# How ulpgate calls the kernels of {0}. What is guessed says so: PTX names neither tensors nor meanings.\n"
        "schema = \"ulpgate.launch/1\"\n"
        "module = \"{0}\"\n"
        "name = \"{0}\"\n",
        slash == ptx_path.npos ? ptx_path : ptx_path.substr(slash + 1));
    for (const auto& k : module.kernels) {
        s += fmt::format(
            "\n[[entry]]\n"
            "contract = \"bf16\"            # yours: the claim, as bf16,cast_first; a type alone claims nothing\n"
            "[[entry.launch]]\n"
            "kernel = \"{}\"\n"
            "grid = \"rows\"                # yours\n"
            "block = {}                   # yours{}\n"
            "shared = \"0\"                 # bytes of dynamic shared memory\n",
            k.name, block(k), k.max_threads ? fmt::format("; .maxntid {}", k.max_threads) : "");
        s += "# Parameters: bytes at offset";
        for (const auto& p : k.parameters) s += fmt::format("  {}@{}", p.size, p.offset);
        s += "\n# types ptr i8 i32 i64 f32 f64; values: a tensor (x w y residual residual_out), d, rows, x.row (a row stride), eps, ...\n";
        s += fmt::format("params = [{}]    # guessed\n", parameters(k));
    }
    return s;
}

}  // namespace ulpgate::launch
