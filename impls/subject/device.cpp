#include "impls/subject/device.hpp"

#include <cstring>

namespace ulpgate::child {
namespace {

constexpr std::uint8_t guard_byte = 0xcb;
constexpr std::uint64_t guard = page;  // on both sides of a tensor, as the reservation leaves free

// The first byte that is not `value`, or n.
std::uint64_t first_other(const char* p, std::uint64_t n, std::uint8_t value) {
    for (std::uint64_t k = 0; k < n; ++k)
        if (static_cast<std::uint8_t>(p[k]) != value) return k;
    return n;
}
std::uint64_t last_other(const char* p, std::uint64_t n, std::uint8_t value) {
    for (std::uint64_t k = n; k-- > 0;)
        if (static_cast<std::uint8_t>(p[k]) != value) return k;
    return n;
}

}  // namespace

char* DeviceMemory::put(const Control& c, const char* host) {
    if (c.reservation + 3 * page > arena_bytes_) {
        if (arena_) driver_.release(arena_);
        arena_ = 0;
        arena_bytes_ = c.reservation + 3 * page;
        arena_ = driver_.allocate(arena_bytes_);
        base_ = (arena_ + 2 * page - 1) / page * page;
    }
    for (const Slot& s : c.slot) {
        if (!s.name[0]) break;
        if (!s.pages) continue;
        const std::uint64_t n = s.pages * page;
        driver_.fill(base_ + s.at - guard, guard_byte, guard);
        driver_.copy_in(base_ + s.at, host + s.at, n);
        driver_.fill(base_ + s.at + n, guard_byte, guard);
    }
    asked_ = 0;
    return reinterpret_cast<char*>(base_);
}

void* DeviceMemory::workspace(std::uint64_t bytes, std::uint8_t poison) {
    const std::uint64_t needed = bytes + 3 * page;
    if (needed > work_bytes_) {
        if (work_) driver_.release(work_);
        work_ = 0;
        work_ = driver_.allocate(work_bytes_ = needed);
    }
    driver_.fill(work_, poison, needed);
    asked_ = bytes;
    poison_ = poison;
    return reinterpret_cast<void*>(work_ + page);
}

std::uint64_t DeviceMemory::changed(const Control& c, const Slot& s, const char* host) {
    const std::uint64_t n = s.pages * page;
    seen_.resize(n + 2 * guard);
    driver_.copy_out(seen_.data(), base_ + s.at - guard, n + 2 * guard);
    const auto address = [&](std::uint64_t at) { return c.base + s.at + at; };
    const char* behind = seen_.data() + guard + n;
    if (const auto k = last_other(seen_.data(), guard, guard_byte); k < guard) return address(k - guard);
    if (const auto k = first_other(behind, guard, guard_byte); k < guard) return address(n + k);
    if (s.writable) return 0;
    for (std::uint64_t k = 0; k < n; ++k)
        if (seen_[guard + k] != host[s.at + k]) return address(k);
    return 0;
}

std::uint64_t DeviceMemory::get(const Control& c, char* host) {
    driver_.synchronize();
    for (const Slot& s : c.slot) {
        if (!s.name[0]) break;
        if (!s.pages) continue;
        if (const auto a = changed(c, s, host)) return a;
        if (s.writable) std::memcpy(host + s.at, seen_.data() + guard, s.pages * page);
    }
    if (!asked_) return 0;
    seen_.resize(asked_ + 2 * page);
    driver_.copy_out(seen_.data(), work_, seen_.size());
    const std::uint64_t at = c.workspace;
    if (const auto k = last_other(seen_.data(), page, poison_); k < page) return at - page + k;
    if (const auto k = first_other(seen_.data() + page + asked_, page, poison_); k < page) return at + asked_ + k;
    return 0;
}

}  // namespace ulpgate::child
