// Rows over threads. Each row is computed by one thread, so its bits do not depend on how many there are.
#pragma once
#include <pthread.h>
#include <unistd.h>

#include <cstdint>

namespace kernel {

using RowsFunction = void (*)(const void* arguments, std::int64_t begin, std::int64_t end);

inline constexpr std::int64_t max_threads = 64;

struct RowsPart {
    RowsFunction function;
    const void* arguments;
    std::int64_t begin, end;
    void run() const { function(arguments, begin, end); }
};

// How many threads to use. granted: as in ulpgate_call, 0 leaves the choice to the kernel: one for each 2^16
// elements, since starting a thread costs about as much as that many.
inline std::int64_t thread_count(std::uint32_t granted, std::int64_t rows, std::int64_t d) {
    std::int64_t n = granted;
    if (n == 0) {
        const std::int64_t worth = rows * (d / 256 + 1) / 256, processors = sysconf(_SC_NPROCESSORS_ONLN);
        n = worth < processors ? worth : processors;
    }
    if (n > rows) n = rows;
    if (n > max_threads) n = max_threads;
    return n < 1 ? 1 : n;
}

// Calls function(arguments, begin, end) over disjoint parts of [0, rows), each in its own thread; the first
// in the caller's. Where no more threads are to be had, the caller computes their part.
inline void over_rows(RowsFunction function, const void* arguments, std::int64_t rows, std::int64_t threads) {
    RowsPart part[max_threads];
    pthread_t thread[max_threads];
    bool started[max_threads];
    const auto share = rows / threads, rest = rows % threads;
    std::int64_t begin = 0;
    for (std::int64_t t = 0; t < threads; ++t) {
        const auto end = begin + share + (t < rest ? 1 : 0);
        part[t] = {function, arguments, begin, end};
        begin = end;
    }
    const auto entry = [](void* p) -> void* {
        static_cast<const RowsPart*>(p)->run();
        return nullptr;
    };
    for (std::int64_t t = 1; t < threads; ++t)
        started[t] = pthread_create(&thread[t], nullptr, entry, &part[t]) == 0;
    part[0].run();
    for (std::int64_t t = 1; t < threads; ++t) {
        if (started[t])
            pthread_join(thread[t], nullptr);
        else
            part[t].run();
    }
}

}  // namespace kernel
