#include "impls/cuda/launch/trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace ulpgate::launch {
namespace {

std::FILE* open_trace() {
    const char* path = std::getenv("ULPGATE_PTX_TRACE");
    if (!path || !*path) return nullptr;
    std::FILE* f = std::fopen(path, "w");
    if (!f) throw std::runtime_error(fmt::format("ULPGATE_PTX_TRACE: {}: {}", path, std::strerror(errno)));
    return f;
}

struct Flushed {  // a faulting launch leaves its last line too
    std::FILE* f;
    ~Flushed() { std::fflush(f); }
};

}  // namespace

void run_kernel(const std::string& kernel, const ptx::Program& p, const ptx::Launch& l, ptx::Memory& m) {
    static std::FILE* const file = open_trace();
    if (!file) return ptx::run(p, l, m);
    const Flushed flushed{file};
    fmt::print(file, "kernel {} grid {}x{}x{} block {}x{}x{}\n", kernel, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z);
    ptx::Launch traced = l;
    traced.trace = [&](const ptx::Warp& w, const ptx::Instruction& i, std::uint32_t active) {
        const auto& b = w.block->index;
        fmt::print(file, "block {},{},{} warp {} lanes {:08x} line {}: {}\n", b.x, b.y, b.z, w.id, active, i.line, p.text[static_cast<std::size_t>(&i - p.code.data())]);
    };
    ptx::run(p, traced, m);
}

}  // namespace ulpgate::launch
