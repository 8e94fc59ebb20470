// cp.async: copies that a thread has begun, in the groups that it has committed. What a copy writes is there once its own thread
// has waited for its group; until then the bytes are in flight (Shared::begin_copy).
#pragma once
#include <cstdint>
#include <vector>

namespace ulpgate::ptx {

class AsyncCopies {
  public:
    struct Copy {
        std::uint32_t to, bytes;
        const std::uint8_t* from;
        std::uint32_t from_bytes;  // the rest is filled with zeros
        int line;
    };

    void reset() { threads_.clear(); }
    void begin(std::uint32_t thread, const Copy& c) { of(thread).open.push_back(c); }
    void commit(std::uint32_t thread) {
        Thread& t = of(thread);
        t.groups.push_back(std::move(t.open));
        t.open.clear();
    }
    // Ends every group but the `pending` last; end(copy) is called in order.
    template <class End>
    void wait(std::uint32_t thread, std::size_t pending, End end) {
        Thread& t = of(thread);
        if (t.groups.size() <= pending) return;
        const auto last = t.groups.end() - static_cast<std::ptrdiff_t>(pending);
        for (auto g = t.groups.begin(); g != last; ++g)
            for (const Copy& c : *g) end(c);
        t.groups.erase(t.groups.begin(), last);
    }

  private:
    struct Thread {
        std::vector<Copy> open;
        std::vector<std::vector<Copy>> groups;
    };
    Thread& of(std::uint32_t thread) {
        if (thread >= threads_.size()) threads_.resize(thread + 1);
        return threads_[thread];
    }
    std::vector<Thread> threads_;
};

}  // namespace ulpgate::ptx
