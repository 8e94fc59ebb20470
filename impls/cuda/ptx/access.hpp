// What every access is held to: aligned to its whole size, inside a tensor or the block's shared memory.
#pragma once
#include <fmt/format.h>

#include "impls/cuda/ptx/machine.hpp"

namespace ulpgate::ptx {

inline void check_alignment(const Warp& w, const Instruction& i, int l, std::uint64_t address, std::uint64_t bytes) {
    if (address % bytes) fault(w, i, l, fmt::format("the address of {} bytes is no multiple of {}: it ends in {:#x}", bytes, bytes, address % 4096));
}
// The address, checked.
inline std::uint32_t shared_bytes(const Warp& w, const Instruction& i, int l, std::uint32_t address, std::uint32_t bytes) {
    const auto size = w.block->shared.size();
    if (address > size || bytes > size - address) fault(w, i, l, fmt::format("{} bytes at byte {} of shared memory, of which the launch gives {}", bytes, address, size));
    check_alignment(w, i, l, address, bytes);
    return address;
}
inline Shared::Access shared_access(const Warp& w, const Instruction& i, int l) {
    return {w.id * lanes + static_cast<std::uint32_t>(l), w.id, w.epoch, i.line};
}

}  // namespace ulpgate::ptx
