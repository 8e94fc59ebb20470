// list, new, doctor and demo, as a user runs them.
#include "reports/cli/process_test.hpp"

namespace ulpgate::testing_cli {
namespace {

TEST(List, ShowsEveryKindOfThing) {
    const Folder f;
    const auto r = ulpgate(f, {"list"});
    EXPECT_EQ(r.exit, 0) << r.err;
    for (const char* part : {"subjects\n", "scalar", "byhand/right", "final_norm", "gaussian", "activations", "rstd.low", "fix: ", "sequential", "rsqrt", "models\n", "model/bf16,cast_first,order=masked:8x4,fma", "up:K"})
        EXPECT_NE(r.out.find(part), std::string::npos) << part;
    const auto one = ulpgate(f, {"list", "types"}).out;
    EXPECT_TRUE(one.starts_with("types\n  bf16")) << one;
    EXPECT_EQ(one.find("ops\n"), std::string::npos);
}

TEST(New, WritesAnAdapterThatPassesAndOverwritesNothing) {
    const Folder f;
    const auto r = ulpgate(f, {"new", "mine.c"});
    ASSERT_EQ(r.exit, 0) << r.err;
    const auto first = slurp(f / "mine.c");
    EXPECT_EQ(ulpgate(f, {"new", "mine.c"}).exit, 2);
    EXPECT_EQ(slurp(f / "mine.c"), first);
    EXPECT_EQ(ulpgate(f, {"new", "other.c"}).exit, 0) << "the same header may lie there";
    EXPECT_EQ(ulpgate(f, {"new", "mine.pas"}).exit, 2);
    EXPECT_EQ(ulpgate(f, {"new", "nowhere/mine.c"}).exit, 2);
    f.write("ulpgate_kernel.h", "/* someone else's */\n");
    EXPECT_EQ(ulpgate(f, {"new", "third.c"}).exit, 2);
    EXPECT_EQ(slurp(f / "ulpgate_kernel.h"), "/* someone else's */\n");
    std::filesystem::remove(f / "ulpgate_kernel.h");
    ASSERT_EQ(ulpgate(f, {"new", "third.c"}).exit, 0);

    // Built by the line that it gives, in its own folder, outside the project.
    auto build = first.substr(first.find("cc -std"));
    build = build.substr(0, build.find('\n'));
    build.replace(0, 2, ULPGATE_CC);
    ASSERT_EQ(std::system(("cd " + f.path() + " && " + build).c_str()), 0) << build;
    const auto gate = ulpgate(f, {"gate", "./mine.so", "--op", "q_a_layernorm", "--profile", "gaussian", "--d", "256", "--rows", "8"});
    EXPECT_EQ(gate.exit, 0) << gate.both();
}

TEST(Doctor, FindsThisBuildWell) {
    const Folder f;
    const auto r = ulpgate(f, {"doctor"});
    EXPECT_EQ(r.exit, 0) << r.out;
    for (const char* part : {"machine", "compiler", "self-check 4096/4096", "ulpgate-child starts", "scalar", "all well"})
        EXPECT_NE(r.out.find(part), std::string::npos) << r.out;
}

TEST(Doctor, SaysWhyNoGpuCanBeAsked) {
    const Folder f;
    const auto r = ulpgate(f, {"doctor", "--gpu"}, {{"ULPGATE_CUDA_DRIVER", "/nowhere/libcuda.so.1"}});
    EXPECT_EQ(r.exit, 5) << r.both();
    EXPECT_NE(r.out.find("SKIPPED: no CUDA driver: /nowhere/libcuda.so.1"), std::string::npos) << r.out;
    EXPECT_EQ(ulpgate(f, {"doctor", "--gpu", "--tables", "nowhere"}).exit, 2);
}

// Every tolerance test passes; four kernels are not what they claim, two are.
TEST(Demo, AllcloseSeesNothingAndTheGateSeesFour) {
    const Folder f;
    const auto r = ulpgate(f, {"demo"});
    EXPECT_EQ(r.exit, 0) << r.both();
    const auto line = [&](const std::string& kernel) {
        const auto at = r.out.find("\n" + kernel + " ");
        return at == r.out.npos ? "" : r.out.substr(at + 1, r.out.find('\n', at + 1) - at - 1);
    };
    for (const char* kernel : {"gain_before_cast", "rstd_bf16", "eps_outside", "dropped_tail"}) {
        EXPECT_NE(line(kernel).find("True"), std::string::npos) << r.out;
        EXPECT_NE(line(kernel).find("is not cast_first"), std::string::npos) << r.out;
    }
    EXPECT_NE(line("gain_before_cast").find("f32_gain"), std::string::npos);
    EXPECT_NE(line("rstd_bf16").find("rstd.low"), std::string::npos);
    EXPECT_NE(line("eps_outside").find("eps.outside"), std::string::npos);
    for (const char* kernel : {"f32_gain", "right"}) EXPECT_NE(line(kernel).find("pass"), std::string::npos) << r.out;
    EXPECT_NE(line("yours:").find("./run new rmsnorm.c"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate::testing_cli
