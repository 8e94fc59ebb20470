// rows.hpp where threads are refused: every row is computed once all the same.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <vector>

namespace {
int starts = 0;
int start_every_second(pthread_t* t, const pthread_attr_t* attributes, void* (*entry)(void*), void* argument) {
    return starts++ % 2 ? EAGAIN : pthread_create(t, attributes, entry, argument);
}
}  // namespace

#define pthread_create start_every_second
#include "impls/kernel/rows.hpp"
#undef pthread_create

namespace kernel {
namespace {

std::vector<std::atomic<int>> visits(1000);

void visit(const void*, std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
}

TEST(Rows, each_is_computed_once_even_where_threads_are_refused) {
    for (const std::int64_t rows : {1, 2, 5, 63, 64, 65, 1000})
        for (std::int64_t threads = 1; threads <= max_threads && threads <= rows; ++threads) {
            for (auto& v : visits) v = 0;
            over_rows(visit, nullptr, rows, threads);
            for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(visits[static_cast<std::size_t>(i)], i < rows) << i;
        }
    EXPECT_GT(starts, 0);
}

TEST(Rows, no_more_threads_than_granted_or_rows) {
    EXPECT_EQ(thread_count(3, 2, 7), 2);
    EXPECT_EQ(thread_count(3, 1000, 7), 3);
    EXPECT_EQ(thread_count(1u << 31, 1000, 7), max_threads);
    EXPECT_EQ(thread_count(0, 1, 1 << 20), 1);
    EXPECT_EQ(thread_count(0, 16, 512), 1);  // too little work
    EXPECT_EQ(thread_count(0, 0, 7), 1);
}

}  // namespace
}  // namespace kernel
