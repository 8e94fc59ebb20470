#include "reference/base/sha1.hpp"

#include <gtest/gtest.h>

namespace ulpgate {
namespace {

// The examples of FIPS 180-4's "Example Algorithms" pages (SHA1.pdf), and of RFC 3174.
TEST(Sha1, KnownAnswers) {
    EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    EXPECT_EQ(sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

}  // namespace
}  // namespace ulpgate
