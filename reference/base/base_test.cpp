#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "reference/base/file.hpp"
#include "reference/base/from_chars.hpp"
#include "reference/base/hash.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/rng.hpp"
#include "reference/base/text.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

using namespace std::string_view_literals;

TEST(Hexfloat, WritesNormalisedDigitsAndReadsThemBack) {
    EXPECT_EQ(hexfloat(1.5), "0x1.8p+0");
    EXPECT_EQ(hexfloat(-0.0), "-0x0p+0");
    EXPECT_EQ(hexfloat(std::numeric_limits<double>::denorm_min()), "0x1p-1074");
    EXPECT_EQ(hexfloat(-std::numeric_limits<double>::infinity()), "-inf");
    for (double v : {1.0, -2.5, 1e-6, 0x1.fffffffffffffp+1023, 0x1p-1074, 0x1.23456789abcdep-500})
        EXPECT_EQ(read_float(hexfloat(v)), v);
    EXPECT_EQ(read_float("1e-6"), 1e-6);
    for (auto bad : {"", "-", "--1", "+1", "0x", "0x-1p0", "1.5z", "1 "}) EXPECT_FALSE(read_float(bad)) << bad;
}

TEST(Hexfloat, AgreesWithTheCLibraryOnRandomBits) {
    Rng r(21, 0, 0);
    for (int k = 0; k < 20000; ++k) {
        const std::uint64_t bits = k % 4 ? r.next() : r.next() & 0x800fffffffffffffu;  // a quarter subnormal
        const double v = std::bit_cast<double>(bits);
        if (!std::isfinite(v)) continue;
        const std::string text = hexfloat(v);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), bits) << text;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(read_float(text).value()), bits) << text;
        ASSERT_TRUE(text.find("0x1") <= 1 || v == 0) << text;  // normalised, subnormals too
    }
}

TEST(Hexfloat, RefusesWhatIsNoNumber) {
    for (auto bad : {"0xinf", "0xnan", "0x", "0x.p1", "inf0", "nan(1)", "0x1p", "1e999", "0x1p+1024", " 1", "0x1p0 ", "1,5", "INF", "infinity", "-nan", ".", "0x.", "0x1p+-6", "1e+-6"})
        EXPECT_FALSE(read_float(bad)) << bad;
    EXPECT_TRUE(std::isnan(read_float("nan").value()));
    EXPECT_EQ(read_float("-inf"), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(read_float("0x.8p0"), 0.5);
}

// The two ways to read digits take the same texts and give the same bits.
TEST(Hexfloat, ReadsTheSameWithoutFromChars) {
    Rng r(22, 0, 0);
    int read = 0;
    for (int k = 0; k < 60000; ++k) {
        const bool hex = k % 2;
        const std::string_view alphabet = hex ? "0123456789abcdefABCDEF..pP+-xX " : "0123456789..eE+-xXpin ";
        std::string text;
        for (std::uint32_t n = 1 + r.below(9); n; --n) text += alphabet[r.below(static_cast<std::uint32_t>(alphabet.size()))];
        double a = 0, b = 0;
        const bool first = read_digits(text, hex, a);
        ASSERT_EQ(first, read_digits_by_strtod(text, hex, b)) << text;
        if (!first) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << text;
        ++read;
    }
    EXPECT_GT(read, 5000);
    double v = 0;
    for (const auto text : {"1e999"sv, "1e-999"sv, "0x1"sv, ""sv, "1\0"sv, "inf"sv, "nan"sv, " 1"sv, "-1"sv}) EXPECT_FALSE(read_digits_by_strtod(text, false, v)) << text;
}

// Values computed by an independent implementation of the formula in Python integers.
TEST(Hash, IsTheSameEverywhere) {
    Hash empty, word, mixed;
    word.add("ulpgate", 7);
    mixed.add("12345678abc", 11);
    mixed.add(std::int64_t{-1});
    EXPECT_EQ(empty.value(), 0xfdbdf6ab5f976db6u);
    EXPECT_EQ(word.value(), 0xa61eb125f3443d9bu);
    EXPECT_EQ(mixed.value(), 0x04eac252324f0b1bu);
}

TEST(Hash, SeesEveryBitAndEveryBoundary) {
    unsigned char data[19] = {};
    Hash base;
    base.add(data, sizeof data);
    for (std::size_t k = 0; k < 8 * sizeof data; ++k) {
        data[k / 8] ^= static_cast<unsigned char>(1 << k % 8);
        Hash h;
        h.add(data, sizeof data);
        EXPECT_NE(h.value(), base.value()) << "bit " << k;
        data[k / 8] = 0;
    }
    Hash shorter, split;
    shorter.add(data, sizeof data - 1);
    split.add(data, 9);
    split.add(data, 10);
    EXPECT_NE(shorter.value(), base.value());
    EXPECT_NE(split.value(), base.value());
}

class Files : public testing::Test {
  protected:
    Files() { std::filesystem::create_directories(folder_); }
    ~Files() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    const std::string folder_ = testing::TempDir() + "ulpgate_files_" + std::to_string(std::rand()) +
                                testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Files, ComeBackWholeAndAreReplacedWhole) {
    const std::string bytes("a\0b\n\xff", 5);
    EXPECT_EQ(write_file(path("x"), "something longer than what follows"), "");
    EXPECT_EQ(write_file(path("x"), bytes), "");
    std::string out = "old";
    EXPECT_EQ(read_file(path("x"), out), "");
    EXPECT_EQ(out, bytes);
    EXPECT_EQ(write_file(path("x"), ""), "");
    EXPECT_EQ(read_file(path("x"), out), "");
    EXPECT_EQ(out, "");
    int entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++entries;
    EXPECT_EQ(entries, 1) << "a temporary file was left behind";
}

TEST_F(Files, SayWhatIsWrong) {
    std::string out = "old";
    EXPECT_EQ(read_file(path("none"), out), path("none") + ": No such file or directory");
    EXPECT_EQ(out, "");
    EXPECT_EQ(read_file(folder_, out), folder_ + ": is a directory, a file is needed");
    EXPECT_EQ(write_file(path("no/such/folder"), "x"), path("no/such/folder") + ": No such file or directory");
    ASSERT_EQ(write_file(path("x"), "12345"), "");
    EXPECT_EQ(read_file(path("x"), out, 5), "");
    EXPECT_EQ(read_file(path("x"), out, 4), path("x") + ": larger than 4 bytes");
    EXPECT_EQ(write_file(folder_, "x"), folder_ + ": is a directory, a file is needed");
}

TEST(Text, ReadsWholeIntegersOnly) {
    int v = 0;
    EXPECT_TRUE(parse_integer("-12", v));
    EXPECT_EQ(v, -12);
    EXPECT_TRUE(parse_integer("ff", v, 16));
    EXPECT_EQ(v, 255);
    for (auto bad : {"", "1 ", " 1", "+1", "1x", "99999999999", "0x1"}) EXPECT_FALSE(parse_integer(bad, v)) << bad;
    unsigned u = 0;
    EXPECT_FALSE(parse_integer("-1", u));
}

TEST(Text, SplitsIntoAllParts) {
    using Parts = std::vector<std::string_view>;
    EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
    EXPECT_EQ(split("", ','), (Parts{""}));
    EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
}

TEST(Rng, StaysInsideItsIntervals) {
    Rng r(22, 0, 0);
    int seen[7] = {}, ends = 0;
    for (int k = 0; k < 7000; ++k) {
        const std::uint32_t v = r.below(7);
        ASSERT_LT(v, 7u);
        seen[v]++;
        const int b = r.between(-3, 3);
        ASSERT_GE(b, -3);
        ASSERT_LE(b, 3);
        ends += b == -3 || b == 3;
    }
    for (const int n : seen) EXPECT_NEAR(n, 1000, 150);  // 5 sigma
    EXPECT_NEAR(ends, 2000, 200);
    EXPECT_EQ(r.below(1), 0u);
    EXPECT_EQ(r.between(5, 5), 5);
}

TEST(Text, NearestOffersOnlyCloseWords) {
    EXPECT_EQ(nearest("gaussain", {"integer", "gaussian", "ties"}), "gaussian");
    EXPECT_EQ(nearest("zzzzzz", {"integer", "gaussian"}), "");
}

TEST(Rng, IsTheSameEverywhere) {
    // Values computed by an independent implementation of the formula in Python integers.
    Rng r(7, 1, 0);
    EXPECT_EQ(r.next(), 0x2e132b7270a06067u);
    EXPECT_EQ(r.next(), 0xdeeb16e7f6140372u);
    EXPECT_EQ(r.next(), 0xa94019fd640d2ff3u);
    EXPECT_NE(Rng(7, 1, 1).next(), Rng(7, 1, 0).next());
    double sum = 0, squares = 0;
    for (int k = 0; k < 100000; ++k) {
        const double g = r.gauss() / 65536.0;
        sum += g;
        squares += g * g;
    }
    EXPECT_NEAR(sum / 100000, 0, 0.02);
    EXPECT_NEAR(squares / 100000, 1, 0.02);
}

TEST(Orders, ReadsParametersWholeOrNotAtAll) {
    EXPECT_TRUE(find_order("sequential"));
    EXPECT_FALSE(find_order("sequential:8"));
    EXPECT_FALSE(find_order("none"));
}

TEST(File, ADeviceIsWrittenToAndALinkStaysALink) {
    struct stat before{}, after{};
    ASSERT_EQ(::stat("/dev/null", &before), 0);
    EXPECT_EQ(write_file("/dev/null", "x"), "");
    ASSERT_EQ(::stat("/dev/null", &after), 0);
    EXPECT_TRUE(S_ISCHR(after.st_mode));
    EXPECT_EQ(before.st_ino, after.st_ino);
    if (::stat("/dev/full", &before) == 0 && S_ISCHR(before.st_mode)) {
        EXPECT_NE(write_file("/dev/full", "x").find("/dev/full: No space left"), std::string::npos);
    }

    const auto folder = std::filesystem::temp_directory_path() / ("ulpgate_file_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto target = (folder / "target").string(), link = (folder / "link").string();
    ASSERT_EQ(write_file(target, "old"), "");
    std::filesystem::create_symlink("target", link);
    ASSERT_EQ(write_file(link, "new"), "");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    std::string text;
    EXPECT_EQ(read_file(target, text), "");
    EXPECT_EQ(text, "new");
    EXPECT_NE(write_file(folder.string(), "x").find("is a directory"), std::string::npos);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ulpgate
