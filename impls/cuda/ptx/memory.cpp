#include "impls/cuda/ptx/memory.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ulpgate::ptx {

std::uint8_t* Memory::search(std::uint64_t address, std::uint64_t bytes, bool write) {
    for (std::size_t k = 0; k < regions_.size(); ++k)
        if (auto* p = within(regions_[k], address, bytes, write)) {
            hint_ = k;
            return p;
        }
    return nullptr;
}

std::string Memory::describe(std::uint64_t address, std::uint64_t bytes, bool write) const {
    const Region* near = nullptr;
    std::uint64_t distance = ~std::uint64_t{0};
    for (const auto& r : regions_) {
        const std::uint64_t away = address < r.begin ? r.begin - address : address >= r.begin + r.bytes ? address - r.begin - r.bytes + 1 : 0;
        if (away < distance) distance = away, near = &r;
    }
    const char* verb = write ? "writes" : "reads";
    if (!near || address < 65536 || distance > std::uint64_t{1} << 40) return fmt::format("{} {} bytes at address {:#x}, which lies in no tensor", verb, bytes, address);
    const auto at = static_cast<std::int64_t>(address - near->begin);
    if (distance == 0 && write && !near->writable) return fmt::format("writes {} bytes at byte {} of {}, which is an input", bytes, at, near->name);
    if (distance == 0 && near->pitch)
        return fmt::format("{} {} bytes between the rows of {}, at byte {} of row {}", verb, bytes, near->name, static_cast<std::uint64_t>(at) % near->pitch,
                           static_cast<std::uint64_t>(at) / near->pitch);
    if (at < 0) return fmt::format("{} {} bytes at {} bytes before {}", verb, bytes, -at, near->name);
    return fmt::format("{} {} bytes at byte {} of {}, which has {} bytes", verb, bytes, at, near->name, near->bytes);
}

void Shared::reset(std::uint32_t bytes, std::uint8_t poison) {
    if (bytes == data_.size()) {
        for (const auto at : touched_) shadow_[at] = {}, data_[at] = poison;
    } else {
        data_.assign(bytes, poison);
        shadow_.assign(bytes, {});
    }
    touched_.clear();
    pending_.clear();
    epoch_ = 1;
}

std::string Shared::read(std::uint32_t at, std::uint32_t bytes, const Access& a, void* out) {
    for (std::uint32_t k = at; k < at + bytes; ++k) {
        Shadow& s = shadow_[k];
        if (s.copy_line) return in_flight("reads", k, s);
        if (!s.written) {
            // Perhaps another thread writes it later and a barrier is missing: told apart at the next barrier.
            if (!s.pending) pending_.push_back(k), touched_.push_back(k);
            s.pending = true;
        } else if (!ordered(s.write_epoch, s.writer, s.writer_warp_epoch, a)) {
            return fmt::format("race: reads shared byte {}, which thread {} writes at line {} with no barrier between", k, s.writer, s.write_line);
        }
        s.many_readers = s.read_epoch == epoch_ && (s.many_readers || s.reader != a.thread);
        s.read_epoch = epoch_;
        s.reader = a.thread;
        s.reader_warp_epoch = a.warp_epoch;
        s.read_line = a.line;
    }
    std::memcpy(out, data_.data() + at, bytes);
    return "";
}

std::string Shared::in_flight(const char* verb, std::uint32_t k, const Shadow& s) {
    return fmt::format("{} shared byte {}, to which thread {} copies at line {}: the copy has not been waited for", verb, k, s.writer, s.copy_line);
}

std::string Shared::conflict(std::uint32_t k, const Shadow& s, const Access& a) const {
    const bool same_warp_later = s.reader / 32 == a.warp && s.reader_warp_epoch != a.warp_epoch;
    if (s.read_epoch && (s.many_readers ? s.read_epoch == epoch_ && !same_warp_later : !ordered(s.read_epoch, s.reader, s.reader_warp_epoch, a)))
        return fmt::format("race: writes shared byte {}, which thread {} reads at line {} with no barrier between", k, s.reader, s.read_line);
    if (s.written && !ordered(s.write_epoch, s.writer, s.writer_warp_epoch, a))
        return fmt::format("race: writes shared byte {}, to which thread {} writes another value at line {} with no barrier between", k, s.writer, s.write_line);
    return "";
}

void Shared::mark_written(std::uint32_t k, Shadow& s, const Access& a) {
    if (!s.written && !s.pending) touched_.push_back(k);
    s.written = true;
    s.write_epoch = epoch_;
    s.writer = a.thread;
    s.writer_warp_epoch = a.warp_epoch;
    s.write_line = a.line;
}

std::string Shared::write(std::uint32_t at, std::uint32_t bytes, const Access& a, const void* in) {
    const auto* value = static_cast<const std::uint8_t*>(in);
    for (std::uint32_t k = at; k < at + bytes; ++k) {
        Shadow& s = shadow_[k];
        if (s.copy_line) return in_flight("writes", k, s);
        if (!s.written || data_[k] != value[k - at])
            if (auto wrong = conflict(k, s, a); !wrong.empty()) return wrong;
        mark_written(k, s, a);
    }
    std::memcpy(data_.data() + at, in, bytes);
    return "";
}

std::string Shared::begin_copy(std::uint32_t at, std::uint32_t bytes, const Access& a) {
    for (std::uint32_t k = at; k < at + bytes; ++k) {
        Shadow& s = shadow_[k];
        if (s.copy_line) return in_flight("copies to", k, s);
        if (auto wrong = conflict(k, s, a); !wrong.empty()) return wrong;
        mark_written(k, s, a);
        s.copy_line = a.line;
    }
    return "";
}

void Shared::end_copy(std::uint32_t at, std::uint32_t bytes, const Access& a, const void* in) {
    for (std::uint32_t k = at; k < at + bytes; ++k) {
        mark_written(k, shadow_[k], a);
        shadow_[k].copy_line = 0;
    }
    std::memcpy(data_.data() + at, in, bytes);
}

std::string Shared::barrier() {
    for (const auto k : pending_) {
        Shadow& s = shadow_[k];
        if (!s.written || s.write_epoch != epoch_)
            return fmt::format("line {}: thread {} reads shared byte {}, which nothing has written", s.read_line, s.reader, k);
        s.pending = false;
    }
    pending_.clear();
    ++epoch_;
    return "";
}

}  // namespace ulpgate::ptx
