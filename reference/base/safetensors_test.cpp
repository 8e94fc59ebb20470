#include "reference/base/safetensors.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "reference/base/file.hpp"

namespace ulpgate {
namespace {

std::string file_of(std::string header, std::size_t data_bytes) {
    std::string f;
    for (std::size_t k = 0; k < 8; ++k) f += static_cast<char>(header.size() >> (8 * k) & 0xff);
    return f + header + std::string(data_bytes, '\0');
}
std::string error_of(const std::string& header, std::size_t data_bytes) {
    return parse_safetensors(file_of(header, data_bytes)).error;
}

TEST(Safetensors, ReadsWhatItWrites) {
    const auto path = std::filesystem::temp_directory_path() / ("ulpgate_st_" + std::to_string(::getpid()));
    const std::uint16_t x[6] = {0x3f80, 0x4000, 0xbf80, 0x0001, 0x7fc0, 0xff80};
    const float w[2] = {1.5f, -2.f};
    ASSERT_EQ(write_safetensors(path, {{"x", Type::bf16, {3, 2}, reinterpret_cast<const std::byte*>(x)},
                                       {"w", Type::f32, {2}, reinterpret_cast<const std::byte*>(w)}},
                                {{"eps", "0x1p-20"}}),
              "");
    const auto s = read_safetensors(path);
    std::filesystem::remove(path);
    ASSERT_EQ(s.error, "");
    EXPECT_EQ(s.metadata.at("eps"), "0x1p-20");
    const auto* t = s.find("x");
    ASSERT_TRUE(t);
    EXPECT_EQ(t->type, Type::bf16);
    EXPECT_EQ(t->shape, (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(std::memcmp(s.bytes_of(*t), x, sizeof x), 0);
    EXPECT_EQ(std::memcmp(s.bytes_of(*s.find("w")), w, sizeof w), 0);
    EXPECT_FALSE(s.find("y"));
}

// What the format's own Python library writes: save({"a": float32 [1, 2]}), safetensors 0.8.
TEST(Safetensors, ReadsTheFormatsOwnFiles) {
    const std::string file("8\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}  \0\0\x80?\0\0\0@", 72);
    const auto s = parse_safetensors(file);
    ASSERT_EQ(s.error, "");
    ASSERT_EQ(s.tensors.size(), 1u);
    EXPECT_EQ(s.tensors[0].type, Type::f32);
    float a[2];
    ASSERT_EQ(s.tensors[0].count(), 2);
    std::memcpy(a, s.bytes_of(s.tensors[0]), sizeof a);
    EXPECT_EQ(a[0], 1.f);
    EXPECT_EQ(a[1], 2.f);
}

TEST(Safetensors, HostileFilesAreRefusedInWords) {
    EXPECT_NE(parse_safetensors("abc").error.find("8 bytes"), std::string::npos);
    EXPECT_NE(parse_safetensors(std::string(8, '\xff')).error.find("100 MB"), std::string::npos);
    EXPECT_NE(parse_safetensors(file_of("{}", 0).substr(0, 9)).error.find("truncated"), std::string::npos);
    EXPECT_NE(error_of("{]", 0).find("not JSON"), std::string::npos);
    EXPECT_NE(error_of("[]", 0).find("not a JSON object"), std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4)
                  .find("'a' stands twice"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12)
                  .find("'a' and 'b' overlap"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4).find("need 8 bytes"), std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 4).find("outside the file's 4 bytes"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4).find("non-negative"), std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"F32","shape":[1099511627776,1099511627776],"data_offsets":[0,4]}})", 4).find("too large"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,4]}})", 4).find("unknown dtype 'Q4'"), std::string::npos);
    EXPECT_NE(error_of(R"({"a":{"shape":[1]}})", 4).find("needs dtype"), std::string::npos);
    EXPECT_NE(error_of(R"({"__metadata__":{"k":1}})", 0).find("'k' is not a string"), std::string::npos);
    EXPECT_NE(error_of(std::string(100000, '['), 0).find("not JSON"), std::string::npos);
    EXPECT_NE(read_safetensors("/nowhere/x.safetensors").error.find("No such file"), std::string::npos);
}

// The format: the buffer is indexed as a whole. Bytes that no tensor owns could be another file.
TEST(Safetensors, HolesAndNamesForTheTerminalAreRefused) {
    const char* two = R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[%d,%d]}})";
    char header[200];
    std::snprintf(header, sizeof header, two, 4, 6);
    EXPECT_NE(error_of(header, 6).find("2 bytes before tensor 'b' belong to no tensor"), std::string::npos);
    std::snprintf(header, sizeof header, two, 2, 4);
    EXPECT_EQ(error_of(header, 4), "");
    EXPECT_NE(error_of(header, 5).find("1 bytes behind the last tensor"), std::string::npos);
    EXPECT_NE(error_of("{}", 1).find("behind the last"), std::string::npos);
    EXPECT_NE(error_of(R"({"e":{"dtype":"BF16","shape":[0],"data_offsets":[1,1]},"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})", 2), "")
        << "an empty tensor inside another";
    const auto red = error_of("{\"a\\u001b[31mred\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2);
    EXPECT_NE(red.find("'a\\x1b[31mred': its name holds control characters"), std::string::npos) << red;
    EXPECT_EQ(red.find('\x1b'), std::string::npos);
    EXPECT_EQ(error_of("{\x1b}", 0).find('\x1b'), std::string::npos);
}

TEST(File, IsReplacedWhole) {
    const auto dir = std::filesystem::temp_directory_path() / ("ulpgate_file_" + std::to_string(::getpid()));
    std::filesystem::create_directory(dir);
    const std::string path = dir / "out.json";
    EXPECT_EQ(write_file(path, "one"), "");
    EXPECT_EQ(write_file(path, "two"), "");
    std::string back;
    EXPECT_EQ(read_file(path, back), "");
    EXPECT_EQ(back, "two");
    EXPECT_NE(write_file(dir / "missing" / "x", "z"), "");
    EXPECT_NE(read_file(dir, back).find("directory"), std::string::npos);
    EXPECT_NE(read_file(path, back, 2).find("larger than 2"), std::string::npos);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(dir)) ++files;
    EXPECT_EQ(files, 1u);
    std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace ulpgate
