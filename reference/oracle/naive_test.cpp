#include "reference/oracle/naive.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

TEST(SelfCheck, OracleAndNaiveReferenceAgree) {
    for (std::uint64_t seed : {1u, 2u, 3u}) {
        const SelfCheck c = oracle_self_check(4096, seed);
        EXPECT_EQ(c.checked, 4096);
        EXPECT_EQ(c.failed, 0) << c.first;
    }
}

}  // namespace
}  // namespace ulpgate
