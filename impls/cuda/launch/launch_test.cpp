// Launch descriptions: expressions, packing against the kernel's parameters, what is wrong with a file; and the built-in CUDA
// norms, executed, against their restatement on the host.
#include <gtest/gtest.h>

#include <fstream>

#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/launch/expression.hpp"
#include "impls/cuda/launch/images.hpp"
#include "impls/testing/rmsnorm_case.hpp"
#include "reference/model/model.hpp"

namespace ulpgate::launch {
namespace {

std::int64_t value(std::string_view text) {
    return evaluate(text, [](std::string_view n) -> std::int64_t {
        if (n == "d") return 1536;
        if (n == "x.row") return 2112;
        throw std::runtime_error("no value '" + std::string(n) + "'");
    });
}
std::string what(auto&& f) {
    try {
        f();
        return "nothing is wrong";
    } catch (const std::exception& e) {
        return e.what();
    }
}

TEST(LaunchExpressions, Values) {
    EXPECT_EQ(value("min(1024, roundup(ceil(d, 8), 32))"), 192);
    EXPECT_EQ(value("1024 - 768 * (d >= 256)"), 256);
    EXPECT_EQ(value("2 + 3 * 4 % 5 - -1"), 5);
    EXPECT_EQ(value("(x.row - d) / 64"), 9);
    EXPECT_EQ(value("d % 8 == 0"), 1);
    for (const char* bad : {"", "1 +", "d d", "min(1)", "foo(1,2)", "e", "(1", "1/0", "9223372036854775807 + 1", "9223372036854775807 * 2", "roundup(1, 0)", "12x"})
        EXPECT_NE(what([&] { value(bad); }), "nothing is wrong") << bad;
}

class LaunchFiles : public ::testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(dir + "/" + name) << text;
        return dir + "/" + name;
    }
    void SetUp() override {
        char t[] = "/tmp/ulpgate_launch_XXXXXX";
        dir = mkdtemp(t);
    }
    void TearDown() override { [[maybe_unused]] const int rc = std::system(("rm -rf " + dir).c_str()); }
    std::string dir;
};

std::string file(const std::string& path) {
    std::ifstream f(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
}
const std::string by_hand = ULPGATE_SOURCE "/impls/cuda/ptx/inputs/warp_norm";

TEST_F(LaunchFiles, WhatIsWrongWithADescription) {
    const std::string good = file(by_hand + ".toml");
    write("warp_norm.ptx", file(by_hand + ".ptx"));
    const auto error = [&](const std::string& from, const std::string& to) {
        auto text = good;
        const auto at = text.find(from);
        EXPECT_NE(at, text.npos) << from;
        text.replace(at, from.size(), to);
        const auto path = write("k.toml", text);
        return what([&] { Callable(read_description(path, ""), {}); });
    };
    EXPECT_EQ(error("grid", "grid"), "nothing is wrong");
    const auto has = [](const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text; };
    has(error("launch/1", "launch/2"), "k.toml:1: schema 'ulpgate.launch/2'");
    has(error("kernel = \"warp_norm\"", "kernel = \"warp_nrm\""), "did you mean 'warp_norm'");
    has(error("[\"i32\", \"d\"]", "[\"i64\", \"d\"]"), "kernel warp_norm: ");
    has(error(", [\"f32\", \"eps\"]", ""), "parameter eps (4 bytes at 44) is given no value");
    has(error("[\"f32\", \"eps\"]", "[\"f32\", \"eps\"], [\"i32\", \"1\"]"), "params take 52 bytes, the kernel has 48");
    has(error("[\"f32\", \"eps\"]", "[\"half\", \"eps\"]"), "no parameter type 'half'");
    has(error("block = 32", "bloc = 32"), "no key 'bloc' here");
    has(error("warp_norm.ptx", "other.ptx"), "other.ptx");
    has(error("[[entry.launch]]", "[[entry.lunch]]"), "no key 'lunch' here");
}

TEST_F(LaunchFiles, WhatIsWrongWithAModule) {
    const auto error = [&](const std::string& content) {
        const auto path = write("m.bin", content);
        return what([&] { ptx_images(path); });
    };
    EXPECT_NE(error("int main() {}").find("neither PTX text"), std::string::npos);
    EXPECT_NE(error(std::string("\177ELF\2\1\1\0", 8) + std::string(200, '\0')).find("holds no PTX"), std::string::npos);
    // A fat binary whose entry reaches beyond its end.
    std::string fat(16 + 64, '\0');
    const std::uint32_t magic = 0xba55ed50, header = 64;
    const std::uint16_t version = 1, bytes = 16, kind = 1;
    const std::uint64_t size = 64, payload = 1000;
    std::memcpy(&fat[0], &magic, 4);
    std::memcpy(&fat[4], &version, 2);
    std::memcpy(&fat[6], &bytes, 2);
    std::memcpy(&fat[8], &size, 8);
    std::memcpy(&fat[16], &kind, 2);
    std::memcpy(&fat[20], &header, 4);
    std::memcpy(&fat[24], &payload, 8);
    EXPECT_NE(error("\177ELF" + fat).find("damaged: an entry beyond the end"), std::string::npos);
    // sm_90a is sm_90 with what only that device can do.
    auto own = file(by_hand + ".ptx");
    own.replace(own.find("sm_90"), 5, "sm_90a");
    const auto path = write("a.ptx", own);
    EXPECT_EQ(ptx_image(path, "sm_90").arch, "sm_90a");
    EXPECT_NE(what([&] { ptx_image(path, "sm_80"); }).find("holds no PTX for sm_80; it has sm_90a"), std::string::npos);
    EXPECT_NE(what([&] { ptx_image(by_hand + ".ptx", "sm_100"); }).find("holds no PTX for sm_100; it has sm_90"), std::string::npos);
}

TEST(LaunchTemplate, NamesKernelsAndParameters) {
    const auto text = launch_template("some/warp_norm.ptx", file(by_hand + ".ptx"));
    for (const char* part : {"schema = \"ulpgate.launch/1\"", "module = \"warp_norm.ptx\"", "kernel = \"warp_norm\"", "8@0", "4@40", "4@44"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

// ---- the built-in norms against a plain restatement on the host

using ulpgate::testing::Matrix;
using ulpgate::testing::Shape;

// The sum as the kernels take it: element j belongs to thread j / n % threads; a warp by halves, then the warps' sums.
float kernel_sum(const std::vector<float>& z, std::size_t threads, std::size_t n) {
    std::vector<float> s(threads, 0.0f);
    for (std::size_t j = 0; j < z.size(); ++j) s[j / n % threads] = std::fma(z[j], z[j], s[j / n % threads]);
    const auto halved = [](std::vector<float> v) {
        for (std::size_t half = 16; half; half /= 2)
            for (std::size_t i = 0; i < half; ++i) v[i] += v[i + half];
        return v[0];
    };
    std::vector<float> sums(32, 0.0f);
    for (std::size_t w = 0; w < threads / 32; ++w) sums[w] = halved({s.begin() + static_cast<std::ptrdiff_t>(32 * w), s.begin() + static_cast<std::ptrdiff_t>(32 * w + 32)});
    return threads == 32 ? sums[0] : halved(sums);
}

struct Norms {
    std::int64_t outputs = 0;
    std::string first_wrong;
};

void compare(Callable& callable, std::size_t index, const Shape& s, Norms& n) {
    const auto& entry = callable.description().entries[index];
    Claim claim;
    ASSERT_FALSE(parse(entry.contract, claim));
    const Contract& c = claim[0];
    const bool residual = c.residual != Residual::none;
    Matrix x = filled(c.x, s, 1), res = filled(c.res, s, 2), y(c.y, s.rows, s.d, s.d + s.y_gap, s.offset), out(c.res, s.rows, s.d, s.d + s.y_gap, s.offset), w(c.w, s.d, s.offset);
    Rng gain(s.seed, 3, 0);
    for (std::int64_t j = 0; j < s.d; ++j) w.set(0, j, encode(c.w, static_cast<float>(gain.gauss()) * 0x1p-16f));
    ulpgate_rmsnorm a{};
    a.call.size = sizeof a;
    a.rows = a.tokens = s.rows;
    a.batch = 1;
    a.d = a.d_stat = s.d;
    a.eps = s.eps;
    a.x = x.tensor();
    a.w = w.tensor();
    a.y = y.tensor();
    if (residual) a.residual = res.tensor(), a.residual_out = out.tensor();
    ASSERT_EQ(callable.call(index, a), ULPGATE_OK);

    const std::size_t vector = bytes(c.x) == 4 ? 4 : 8, d = static_cast<std::size_t>(s.d);
    const std::size_t threads = !residual && d <= 1024 ? 32 : std::min<std::size_t>(1024, ((d + vector - 1) / vector + 31) / 32 * 32);
    for (std::int64_t i = 0; i < s.rows; ++i) {
        std::vector<float> z(d);
        for (std::size_t j = 0; j < d; ++j) {
            z[j] = decode(c.x, x.get(i, static_cast<std::int64_t>(j)));
            if (!residual) continue;
            const auto word = encode(c.x, z[j] + decode(c.res, res.get(i, static_cast<std::int64_t>(j))));
            z[j] = decode(c.x, word);
            if (!testing::same(c.x, word, out.get(i, static_cast<std::int64_t>(j)))) n.first_wrong = entry.contract + " residual_out, " + s.text();
        }
        const float r = 1.0f / std::sqrt(kernel_sum(z, threads, vector) / static_cast<float>(d) + static_cast<float>(s.eps));
        for (std::size_t j = 0; j < d; ++j) {
            float v = z[j] * r;
            if (c.map == Map::cast_first) v = round_to(c.x, v);
            const auto right = encode(c.y, v * decode(c.w, w.get(0, static_cast<std::int64_t>(j)))), got = y.get(i, static_cast<std::int64_t>(j));
            if (!testing::same(c.y, right, got) && n.first_wrong.empty()) n.first_wrong = entry.contract + ", " + s.text() + " row " + std::to_string(i) + " col " + std::to_string(j);
            ++n.outputs;
        }
    }
    EXPECT_TRUE(y.canaries_intact()) << entry.contract << s.text();
}

class BuiltIn : public ::testing::TestWithParam<const char*> {};

// 0 mismatches in more than 10^6 outputs an architecture.
TEST_P(BuiltIn, ExecutedKernelsAreTheirRestatementBitForBit) {
    Callable callable(read_description(ULPGATE_HOME "/kernels/cuda/rmsnorm.toml", GetParam()), {GetParam(), {}, {}});
    Norms n;
    for (std::size_t k = 0; k < callable.description().entries.size(); ++k) {
        for (const std::int64_t d : testing::edge_sizes) compare(callable, k, {.rows = 2, .d = d, .seed = static_cast<std::uint64_t>(d)}, n);
        for (const std::int64_t d : {512, 1536, 7168}) compare(callable, k, {.rows = 8, .d = d, .seed = 9}, n);
        compare(callable, k, {.rows = 5, .d = 512, .x_gap = 64, .seed = 3}, n);        // row stride 576
        compare(callable, k, {.rows = 5, .d = 512, .x_gap = 1600, .y_gap = 5}, n);     // 2112
        for (int offset = 1; offset < 9; ++offset) compare(callable, k, {.rows = 3, .d = 1543, .offset = offset}, n);
        compare(callable, k, {.rows = 600, .d = 40, .seed = 4}, n);                    // more rows than blocks: grid-stride
    }
    EXPECT_EQ(n.first_wrong, "");
    EXPECT_GT(n.outputs, 1000000);
    RecordProperty("outputs", std::to_string(n.outputs));
}
INSTANTIATE_TEST_SUITE_P(Ptx, BuiltIn, ::testing::Values("sm_80", "sm_90"), [](const auto& i) { return i.param; });

// Nothing is left to the assembler: no pair that it may contract, no approximation, in any own kernel.
TEST_P(BuiltIn, LeavesNothingOpen) {
    const auto module = ptx::parse_module(ptx_image(std::string(ULPGATE_HOME "/kernels/cuda/rmsnorm.") + GetParam() + ".ptx", GetParam()).ptx);
    EXPECT_EQ(module.kernels.size(), 15u);
    for (const auto& k : module.kernels) {
        EXPECT_EQ(ptx::contractable(k).size(), 0u) << k.name;
        EXPECT_EQ(ptx::approximate_count(k), 0u) << k.name;
    }
    EXPECT_EQ(members(read_description(ULPGATE_HOME "/kernels/cuda/rmsnorm.toml", GetParam()), GetParam()).size(), 1u);
}

}  // namespace
}  // namespace ulpgate::launch
