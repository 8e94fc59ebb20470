#include "properties/cases/activations.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

struct File {
    std::string path = (std::filesystem::temp_directory_path() / ("ulpgate_act_" + std::to_string(::getpid()) + ".safetensors")).string();
    File(const std::vector<TensorToStore>& tensors, const std::map<std::string, std::string>& metadata) {
        EXPECT_EQ(write_safetensors(path, tensors, metadata), "");
    }
    ~File() { std::filesystem::remove(path); }
};
const std::uint16_t ones_bf16[6] = {0x3f80, 0x3f80, 0x3f80, 0x4000, 0x4000, 0x4000};
const auto* const bf16 = reinterpret_cast<const std::byte*>(ones_bf16);

TEST(Activations, TheFileThatShipsHoldsMassiveActivationsOfElevenNorms) {
    Claim claim(1);
    claim[0].x = claim[0].w = claim[0].y = claim[0].res = Type::bf16;
    const auto made = activation_cases(std::string(bundled_activations), "final_norm", claim);
    ASSERT_EQ(made.error, "");
    ASSERT_EQ(made.cases.size(), 11u);
    float largest = 0;
    for (const Case& c : made.cases) {
        EXPECT_EQ(c.d, 576);
        EXPECT_EQ(c.tokens, 72);
        EXPECT_EQ(static_cast<float>(c.eps), 1e-5f);
        const auto a = load_activations(c.file);
        ASSERT_EQ(a.error, "");
        ASSERT_EQ(a.x.size(), 72u * 576u);
        ASSERT_EQ(a.w.size(), 576u);
        for (float v : a.x) {
            ASSERT_TRUE(std::isfinite(v));
            largest = std::max(largest, std::fabs(v));
        }
    }
    EXPECT_GT(largest, 1e4f);
}

TEST(Activations, AnyLeadingDimensionsAreRowsAndTheGainMayBeAbsent) {
    File f({{"h.x", Type::bf16, {1, 2, 3}, bf16}}, {{"eps", "0x1p-20"}});
    const auto a = load_activations(f.path);
    ASSERT_EQ(a.error, "");
    EXPECT_EQ(a.rows, 2);
    EXPECT_EQ(a.d, 3);
    EXPECT_EQ(a.x, (std::vector<float>{1, 1, 1, 2, 2, 2}));
    EXPECT_TRUE(a.w.empty());
    EXPECT_EQ(a.eps, 0x1p-20);
}

TEST(Activations, WhatIsWrongIsSaid) {
    const auto said = [](const std::string& text) { return load_activations(text).error; };
    EXPECT_NE(said("/nowhere/a.safetensors").find("No such file"), std::string::npos);
    File f({{"a.x", Type::bf16, {2, 3}, bf16}, {"a.w", Type::bf16, {2}, bf16}, {"b.x", Type::i8, {3}, bf16}}, {});
    EXPECT_NE(said(f.path).find("holds 2 norms: name one"), std::string::npos);
    EXPECT_NE(said(f.path + "@c").find("no norm 'c'; it holds a, b"), std::string::npos);
    EXPECT_NE(said(f.path + "@a").find("a.w has 2 values, a.x has 3 columns"), std::string::npos);
    EXPECT_NE(said(f.path + "@b").find("store it as BF16, F16 or F32"), std::string::npos);
}

TEST(Activations, EpsOfTheFileMustBeANumber) {
    for (const char* bad : {"small", "-1", "nan"}) {
        File f({{"x", Type::bf16, {2, 3}, bf16}}, {{"eps", bad}});
        EXPECT_NE(load_activations(f.path).error.find("is not a number >= 0"), std::string::npos) << bad;
    }
}

TEST(Activations, AFileOfOtherTensorsSaysWhatItNeeds) {
    File f({{"weight", Type::bf16, {3}, bf16}}, {});
    EXPECT_NE(load_activations(f.path).error.find("needs tensors NAME.x"), std::string::npos);
    EXPECT_NE(activation_cases(f.path, "final_norm", Claim(1)).error.find("needs tensors NAME.x"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
