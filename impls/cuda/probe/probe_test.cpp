// The probes on a driver whose GPU is the executor: they find what its models say. And the factors they are built of.
#include "impls/cuda/probe/probe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "impls/cuda/driver/driver.hpp"
#include "reference/tensor_core/step.hpp"

namespace ulpgate::cuda {
namespace {

namespace fs = std::filesystem;

TEST(Probe, FindsWhatTheExecutorDoes) {
    ::setenv("ULPGATE_CUDA_DRIVER", ULPGATE_HOME "/testing/stub_driver.so", 1);
    if (Driver::get().card() != "stub card") GTEST_SKIP() << "another driver is open in this process: " << Driver::get().card() << Driver::get().unavailable();
    const fs::path folder = fs::temp_directory_path() / ("ulpgate_probe_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const ProbeResult none = probe(folder.string(), 1);
    EXPECT_NE(none.unavailable.find("probe.sm_90.cubin: built without nvcc"), std::string::npos) << none.unavailable;
    fs::copy_file(ULPGATE_HOME "/kernels/cuda/probe.sm_90.ptx", folder / "probe.sm_90.cubin", fs::copy_options::overwrite_existing);
    const ProbeResult r = probe(folder.string(), 1 << 14);
    fs::remove_all(folder);
    EXPECT_EQ(r.unavailable, "");
    ASSERT_EQ(r.tables.size(), 2u);
    for (const Table& t : r.tables) {
        EXPECT_EQ(t.deltas.size(), std::size_t{1} << 14);
        EXPECT_TRUE(std::all_of(t.deltas.begin(), t.deltas.end(), [](std::int8_t v) { return v == 0; })) << t.instruction;  // the executor's are to nearest
        // To nearest, of values just below 1: half an ulp is 2^-25.
        EXPECT_LE(t.worst, 0x1.01p-25);
        EXPECT_GT(t.worst, 0x1.fp-26);
        std::vector<std::uint8_t> packed;
        EXPECT_EQ(pack(t, packed), "");
        EXPECT_EQ(packed, std::vector<std::uint8_t>(std::size_t{1} << 12, 0xaa));
    }
    EXPECT_EQ(r.nan, 0x7fffffffu);
    EXPECT_EQ(r.flushed_product, 0x00800000u);
    EXPECT_EQ(r.flushed_fma, 0x00800000u);
    EXPECT_EQ(r.flushed_sum, 0u);
    EXPECT_EQ(r.core, "hopper");
    EXPECT_EQ(r.lost_at, -hopper.least_exponent + hopper.fraction_bits + 1);
    EXPECT_EQ(r.lost_at, r.modelled_lost_at);
    const auto lines = findings(r);
    EXPECT_EQ(lines.size(), 7u);
    EXPECT_NE(lines.back().find("its least exponent holds"), std::string::npos) << lines.back();
}

// The least exponent is read off: a product of 2^-u is kept down to 2^(floor - F), whatever the floor.
TEST(Probe, SeparatesEveryLeastExponent) {
    for (TensorCore core : {ampere, hopper})
        for (const int floor : {-126, -128, -130, -132, -133}) {
            core.least_exponent = floor;
            int last = 0;
            for (int u = 150; u < 170; ++u)
                for (int others = 7; others >= 1; --others) {
                    std::uint16_t a[16], b[16];
                    if (!smallest_kept(u, others, a, b)) continue;
                    double sum = 0;
                    for (int k = 0; k < 16; ++k) sum += static_cast<double>(Bf16::decode(a[k])) * static_cast<double>(Bf16::decode(b[k]));
                    EXPECT_EQ(sum, 0x1p-149) << u;
                    const bool kept = tensor_core_dot<Bf16>(core, a, b, 0) != 0;
                    EXPECT_EQ(kept, -u >= floor - core.fraction_bits) << core.name << " floor " << floor << " u " << u << " others " << others;
                    last = u;
                    break;
                }
            EXPECT_GE(last, 133 + 25 + 1) << "no probe beyond the lowest floor";
        }
}

TEST(Probe, DeltasThatDoNotFitAreTold) {
    Table t{"rsqrt", 0x3f800000u, {0, -2, 1, 2}, 0, 0};
    std::vector<std::uint8_t> packed;
    EXPECT_EQ(pack(t, packed), "3f800003 lies 2 steps from the correctly rounded value: -2 to 1 fit");
    t.deltas = {0, -2, 1, -1, 1};
    EXPECT_EQ(pack(t, packed), "");
    EXPECT_EQ(packed, (std::vector<std::uint8_t>{0x72, 0x03}));
}

}  // namespace
}  // namespace ulpgate::cuda
