// mbarrier objects of a block, by their address in shared memory: a phase ends when as many arrivals have come as were expected;
// then the next begins, with as many expected. Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#pragma once
#include <cstdint>
#include <map>

namespace ulpgate::ptx {

class Mbarriers {
  public:
    static constexpr std::uint32_t most = (1u << 20) - 1;  // arrivals a phase

    struct Barrier {
        std::uint32_t expected = 0, pending = 0;
        std::uint64_t phase = 0;  // phases that have ended
    };
    void reset() { all_.clear(); }
    // False: one is there already.
    bool init(std::uint32_t at, std::uint32_t expected) { return all_.try_emplace(at, Barrier{expected, expected, 0}).second; }
    bool invalidate(std::uint32_t at) { return all_.erase(at) != 0; }
    Barrier* find(std::uint32_t at) {
        const auto it = all_.find(at);
        return it == all_.end() ? nullptr : &it->second;
    }
    // True: the phase has ended. count is at most what is pending.
    static bool arrive(Barrier& b, std::uint32_t count) {
        b.pending -= count;
        if (b.pending) return false;
        b.pending = b.expected;
        ++b.phase;
        return true;
    }

  private:
    std::map<std::uint32_t, Barrier> all_;
};

}  // namespace ulpgate::ptx
