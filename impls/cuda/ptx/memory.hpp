// What a kernel may touch: regions of global memory, and a block's shared memory with what was written when and by whom.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ulpgate::ptx {

// Addresses are the host's own, or, where a region has a pitch, virtual: row i of `row_bytes` at begin + i * pitch stands for
// host + i * host_pitch. Tensors whose rows lie 2^31 elements apart need no memory that way.
struct Region {
    std::string name;
    std::uint64_t begin = 0, bytes = 0;
    bool writable = false;
    std::uint8_t* host = nullptr;
    std::uint64_t pitch = 0, row_bytes = 0, host_pitch = 0;  // pitch 0: one piece
};

class Memory {
  public:
    void add(Region r) { regions_.push_back(std::move(r)); }
    void add(std::string name, void* p, std::uint64_t bytes, bool writable) {
        add({std::move(name), reinterpret_cast<std::uint64_t>(p), bytes, writable, static_cast<std::uint8_t*>(p), 0, 0, 0});
    }
    // The host's bytes for [address, address + bytes), or nullptr.
    std::uint8_t* find(std::uint64_t address, std::uint64_t bytes, bool write) {
        if (hint_ < regions_.size())
            if (auto* p = within(regions_[hint_], address, bytes, write)) return p;
        return search(address, bytes, write);
    }
    // The same for a span of lanes: only where its bytes lie in one piece.
    std::uint8_t* find_span(std::uint64_t address, std::uint64_t bytes, bool write) { return find(address, bytes, write); }
    // "16 bytes at x + 0x30, which ends at 0x3c": for a message.
    std::string describe(std::uint64_t address, std::uint64_t bytes, bool write) const;

  private:
    static std::uint8_t* within(const Region& r, std::uint64_t address, std::uint64_t bytes, bool write) {
        const std::uint64_t at = address - r.begin;
        if (at >= r.bytes || bytes > r.bytes - at || (write && !r.writable)) return nullptr;
        if (!r.pitch) return r.host + at;
        const std::uint64_t row = at / r.pitch, column = at % r.pitch;
        return column + bytes <= r.row_bytes ? r.host + row * r.host_pitch + column : nullptr;
    }
    std::uint8_t* search(std::uint64_t address, std::uint64_t bytes, bool write);

    std::vector<Region> regions_;
    std::size_t hint_ = 0;
};

// Shared memory of a block. Accesses of different threads to one byte, one of them a write that changes it, with no barrier
// between them, are a race; a byte read that nobody wrote is an uninitialised read.
class Shared {
  public:
    struct Access {
        std::uint32_t thread, warp, warp_epoch;
        int line;
    };
    void reset(std::uint32_t bytes, std::uint8_t poison);
    std::uint32_t size() const { return static_cast<std::uint32_t>(data_.size()); }
    // "" or what is wrong. The caller has checked bounds and alignment.
    std::string read(std::uint32_t at, std::uint32_t bytes, const Access&, void* out);
    std::string write(std::uint32_t at, std::uint32_t bytes, const Access&, const void* in);
    // An asynchronous copy to [at, at + bytes): until it ends, nobody may read or write there. "" or what is wrong.
    std::string begin_copy(std::uint32_t at, std::uint32_t bytes, const Access&);
    // Its end, at the wait of the thread that began it; line: of its beginning.
    void end_copy(std::uint32_t at, std::uint32_t bytes, const Access&, const void* in);
    // A barrier of the block. Reads of bytes that nobody wrote until now: "" or what is wrong.
    std::string barrier();

  private:
    struct Shadow {
        std::uint32_t write_epoch = 0, read_epoch = 0;  // 0: never in this block
        std::uint32_t writer = 0, writer_warp_epoch = 0, reader = 0, reader_warp_epoch = 0;
        int write_line = 0, read_line = 0, copy_line = 0;  // copy_line: of the copy in flight to it, or 0
        bool many_readers = false, written = false, pending = false;
    };
    bool ordered(std::uint32_t epoch, std::uint32_t other, std::uint32_t other_warp_epoch, const Access& a) const {
        return epoch != epoch_ || other == a.thread || (other / 32 == a.warp && other_warp_epoch != a.warp_epoch);
    }
    // What keeps a write that changes byte k from being one.
    std::string conflict(std::uint32_t k, const Shadow&, const Access&) const;
    static std::string in_flight(const char* verb, std::uint32_t k, const Shadow&);
    void mark_written(std::uint32_t k, Shadow&, const Access&);

    std::vector<std::uint8_t> data_;
    std::vector<Shadow> shadow_;
    std::vector<std::uint32_t> pending_, touched_;
    std::uint32_t epoch_ = 1;
};

}  // namespace ulpgate::ptx
