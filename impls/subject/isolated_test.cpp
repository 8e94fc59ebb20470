#include "impls/subject/isolated.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "reference/base/file.hpp"

namespace ulpgate {
namespace {

namespace fs = std::filesystem;

// Built once, by the C compiler alone, as a user's kernel is.
class Isolated : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder = (fs::temp_directory_path() / ("ulpgate_trouble_" + std::to_string(::getpid()))).string();
        fs::create_directories(folder);
        const std::string impls = std::string(ULPGATE_SOURCE) + "/impls";
        ASSERT_EQ(std::system((std::string(ULPGATE_CC) + " -std=gnu99 -w -O1 -shared -fPIC -I" + impls + " " + impls + "/subject/trouble.c -o " + folder +
                               "/trouble.so -lm -lpthread")
                                  .c_str()),
                  0);
    }
    static void TearDownTestSuite() { fs::remove_all(folder); }

    // Short limits only where a limit is the point: elsewhere a busy machine must not decide.
    static SubjectOptions options(bool short_limits = false) {
        SubjectOptions o;
        o.home = ULPGATE_HOME;
        if (short_limits) o.cpu_seconds = 0.3, o.idle_seconds = 0.4;
        o.child_env = {{"TROUBLE_FILE", folder + "/pid"}};
        return o;
    }
    static std::unique_ptr<Subject> open(const std::string& variant) {
        const bool hangs = variant == "loop" || variant == "sleeper" || variant == "hang_at_load";
        return open_subject(folder + "/trouble.so@" + variant, options(hangs));
    }

    static Tensors some(std::int64_t rows = 3, std::int64_t d = 8, std::int64_t ld = 0, std::int64_t offset = 0, const char* contract = "bf16") {
        Claim claim;
        EXPECT_FALSE(parse(contract, claim));
        const Op& op = *find_op("kv_a_layernorm");
        Sizes n;
        op.defaults(n);
        n[Dim::tokens] = rows;
        n[Dim::d] = d;
        op.derive(n);
        Tensors t = lay_out(op, claim[0], n, ld, ld);
        t.offset = offset;
        for (Tensor& v : t.all)
            if (v.spec->input())
                for (std::int64_t k = 0; k < v.extent(); ++k) v.set_word(k, static_cast<std::uint32_t>(0x3f00 + k % 200));
        return t;
    }
    static Outcome run(const std::string& variant, const Tensors& t) {
        auto s = open(variant);
        const Outcome started = s->start();
        EXPECT_EQ(started.event, Event::ok) << started.what;
        return s->run(0, t);
    }
    static void expect(const std::string& variant, Event event, const std::string& words, const Tensors& t = some()) {
        const Outcome o = run(variant, t);
        EXPECT_EQ(o.event, event) << variant << ": " << o.what;
        EXPECT_NE(o.what.find(words), std::string::npos) << variant << ": " << o.what;
    }
    static void expect_start(const std::string& variant, Event event, const std::string& words) {
        const Outcome o = open(variant)->start();
        EXPECT_EQ(o.event, event) << variant << ": " << o.what;
        EXPECT_NE(o.what.find(words), std::string::npos) << variant << ": " << o.what;
    }
    static std::string folder;
};
std::string Isolated::folder;

TEST_F(Isolated, OutputsComeBackPackedFromEveryShapeStrideAndOffset) {
    auto s = open("copy");
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->name(), "trouble");
    EXPECT_EQ(s->version(), "1");
    EXPECT_EQ(s->mode(), "");
    ASSERT_EQ(s->entries().size(), 1u);
    EXPECT_EQ(s->entries()[0].contract, "bf16");
    for (std::int64_t rows : {0, 1, 2, 257})
        for (std::int64_t d : {1, 7, 512, 2048})
            for (std::int64_t extra : {0, 1, 64})
                for (std::int64_t offset : {0, 1, 15}) {
                    const Tensors t = some(rows, d, extra ? d + extra : 0, offset);
                    const Outcome o = s->run(0, t);
                    ASSERT_EQ(o.event, Event::ok) << o.what;
                    const Tensor& x = *t.find("x");
                    for (std::int64_t k = 0; k < x.count(); ++k)
                        ASSERT_EQ(std::memcmp(&o.out.back()[static_cast<std::size_t>(2 * k)], &x.storage[static_cast<std::size_t>(2 * x.at(k))], 2), 0);
                }
}

TEST_F(Isolated, WhatTheKernelTouchesIsSaidToTheByte) {
    expect("before", Event::corrupted, "touched byte 2 before y");
    expect("before", Event::corrupted, "wrote byte 2 before y", some(3, 8, 0, 1));
    expect("after", Event::corrupted, "past the end of y");
    expect("reads_past", Event::corrupted, "touched byte 0 past the end of x");
    expect("writes_input", Event::corrupted, "wrote to its input x at byte 2");
    expect("forces_input", Event::corrupted, "wrote to its input x at byte 2");  // no mprotect makes it writable
    expect("gap", Event::corrupted, "wrote into the gap between the rows of y, at its element 8", some(3, 8, 11));
    expect("gap", Event::ok, "", some(1, 8, 11));
    expect("past_workspace", Event::corrupted, "past the end of its workspace");
    expect("workspace", Event::ok, "");
    expect("much_workspace", Event::failed, "asks for a workspace of 18446744073709551615 bytes");
    expect("refuses_late", Event::corrupted, "refused, and wrote row 0 col 0 of y all the same");
}

TEST_F(Isolated, BytesPastAnInputMayBeReadWhereTheEntrySaysSoAndNotUsed) {
    expect("reads_past_allowed", Event::ok, "");
    expect("reads_past_allowed", Event::ok, "", some(3, 8, 11, 1));
    expect("uses_past", Event::corrupted, "touched byte 0 past the end of x");
    expect("uses_past_allowed", Event::corrupted, "the bytes past an input");
}

TEST_F(Isolated, NothingThatTheChildSharesCanHurtTheHarness) {
    auto s = open("vandal");
    ASSERT_EQ(s->start().event, Event::ok);
    for (std::int64_t d : {8, 8, 300}) {
        const Outcome o = s->run(0, some(3, d));
        EXPECT_EQ(o.event, Event::ok) << o.what;
    }
}

TEST_F(Isolated, WhatTheKernelPrintsIsNotOnStdout) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    expect("prints", Event::ok, "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "hello\nhello\n");
}

TEST_F(Isolated, WhatTheKernelStartedEndsWithIt) {
    expect("forks", Event::crashed, "called exit(0)");
    std::string pid, stat;
    ASSERT_EQ(read_file(folder + "/pid", pid), "");
    for (int wait = 0; wait < 500; ++wait) {  // killed already; the machine takes it away when it likes
        std::FILE* f = std::fopen(("/proc/" + pid + "/stat").c_str(), "r");
        if (!f) return;
        char state = 0;
        const bool known = std::fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
        std::fclose(f);
        if (known && (state == 'Z' || state == 'X')) return;
        ::usleep(10000);
    }
    FAIL() << "process " << pid << " lives on";
}

TEST_F(Isolated, ASubjectOutlivesTheThreadThatStartedIt) {
    auto s = open("copy");
    std::thread([&] { EXPECT_EQ(s->start().event, Event::ok); }).join();
    ::usleep(20000);
    const Outcome o = s->run(0, some());
    EXPECT_EQ(o.event, Event::ok) << o.what;
}

TEST_F(Isolated, WhatWasNotWrittenIsSeen) {
    expect("unwritten", Event::corrupted, "left row 0 col 7 of y unwritten");
    expect("nothing", Event::corrupted, "left row 0 col 0 of y unwritten");
    expect("reads_output", Event::corrupted, "bits depend on what its outputs");
}

TEST_F(Isolated, DeathIsAVerdictAndTheNextCaseRuns) {
    expect("segfault", Event::crashed, "Segmentation fault at address 0x8");
    expect("overflow_stack", Event::crashed, "Segmentation fault");
    expect("aligned_store", Event::crashed, "general protection fault", some(3, 8, 0, 1));
    expect("exits", Event::crashed, "called exit(0)");
    expect("aborts", Event::crashed, "Aborted");
    expect("loop", Event::hung, "used more than 0.3 s of CPU");
    expect("sleeper", Event::hung, "used no CPU for 0.4 s");
    auto s = open("crashes_on_one_row");
    ASSERT_EQ(s->start().event, Event::ok);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(s->run(0, some(1)).event, Event::crashed);
        EXPECT_EQ(s->run(0, some(3)).event, Event::ok);
    }
}

TEST_F(Isolated, OtherBitsForTheSameInputAreUnstable) {
    expect("random_bits", Event::unstable, "same input, other bits, first at row 0 col 0 of y");
    expect("by_address_claimed", Event::unstable, "holds=align");
    const Outcome o = run("by_address", some());
    EXPECT_EQ(o.event, Event::ok);
    ASSERT_EQ(o.findings.size(), 1u);
    EXPECT_EQ(o.findings[0], "bits depend on the address, first at row 0 col 0 of y");
}

// Two NaNs that meet leave one of them: which, the compiler decides loop by loop.
TEST_F(Isolated, WhichNaNIsNobodysClaim) {
    for (const std::int64_t rows : {1, 3, 40}) {
        const Outcome o = run("some_nan", some(rows));
        EXPECT_EQ(o.event, Event::ok) << o.what;
        EXPECT_TRUE(o.findings.empty());
    }
}

TEST_F(Isolated, ClaimedInPlaceIsTried) {
    expect("in_place", Event::ok, "");
    expect("in_place", Event::ok, "", some(3, 8, 11, 1));
    expect("must_in_place", Event::ok, "", some(3, 8, 11));
    expect("not_in_place", Event::corrupted, "in place the bits are others, first at row 0 col");
    Tensors apart = some(3, 8, 11);  // y cannot be x's memory: other strides
    for (Tensor& v : apart.all)
        if (!v.spec->input()) v.stride[0] = 8;
    expect("not_in_place", Event::ok, "", apart);
    expect("must_in_place", Event::refused, "works in place only", apart);
}

TEST_F(Isolated, RefusalsAndErrorsAreTold) {
    expect("refuses", Event::refused, "the kernel refused it");
    expect("fails", Event::failed, "returned 3");
    expect("even", Event::refused, "d = 7 is no multiple of 2", some(1, 7));
    expect("even", Event::refused, "needs at least 4", some(1, 2));
    expect("even", Event::refused, "takes at most 64", some(1, 66));
    expect("aligned", Event::ok, "", some(3, 8, 0, 16));
    expect("aligned", Event::refused, "offset=1 moves x off the 32 bytes", some(3, 8, 0, 1));
}

TEST_F(Isolated, TheFloatingPointModeIsTheSubjectsOwn) {
    auto s = open("fastmath");
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->mode(), "ftz+daz on");
    const auto first = [](const Outcome& o) { return o.event == Event::ok ? std::to_integer<int>(o.out.back()[0]) : -1; };
    EXPECT_EQ(first(s->run(0, some())), 1);
    EXPECT_EQ(first(run("flushes", some())), 2);
    EXPECT_EQ(first(run("spoils_mode", some())), 2) << "each call begins in the mode after loading";
}

TEST_F(Isolated, WhatDoesNotLoadSaysWhy) {
    expect_start("abi", Event::not_loaded, "built for ABI version 7, this ulpgate speaks 1");
    expect_start("far_past_end", Event::not_loaded, "readable_past_end 4000000000 is more than 65536 bytes");
    expect_start("short", Event::not_loaded, "8 bytes long");
    expect_start("empty", Event::not_loaded, "lists no entry");
    expect_start("no_head", Event::not_loaded, "begin the descriptor with ULPGATE_HEAD");
    expect_start("no_entry_size", Event::not_loaded, "sizeof(ulpgate_entry)");
    expect_start("newer", Event::not_loaded, "newer header");
    expect_start("bad_contract", Event::not_loaded, "contract \"bf61\"");
    expect_start("no_contract", Event::not_loaded, "has no contract text");
    expect_start("no_function", Event::not_loaded, "exactly one function");
    expect_start("nonsense", Event::not_loaded, "no variant 'nonsense'");
    expect_start("away", Event::unavailable, "needs a moon");
    expect_start("crash_at_load", Event::crashed, "while it was loaded: Segmentation fault");
    expect_start("hang_at_load", Event::hung, "while it was loaded: used more than");
    const auto said = [](const std::string& text) {
        const Outcome o = open_subject(text, options())->start();
        EXPECT_EQ(o.event, Event::not_loaded) << text;
        return o.what;
    };
    EXPECT_NE(said(folder + "/none.so").find("No such file"), std::string::npos);
    EXPECT_NE(said(folder + "/").find("not a file"), std::string::npos);
    ASSERT_EQ(write_file(folder + "/text.so", "int main"), "");
    EXPECT_NE(said(folder + "/text.so").find("no ELF header"), std::string::npos);
    ASSERT_EQ(write_file(folder + "/empty.so", ""), "");
    EXPECT_NE(said(folder + "/empty.so").find("no ELF header"), std::string::npos);
    ASSERT_EQ(write_file(folder + "/cut.so", std::string("\177ELF") + std::string(60, '\1')), "");
    EXPECT_NE(said(folder + "/cut.so").find("cut.so"), std::string::npos);
    EXPECT_NE(said("scalr").find("did you mean 'scalar'?"), std::string::npos);
    EXPECT_NE(said("byhand/nope").find("no subject 'byhand/nope'"), std::string::npos);
    EXPECT_NE(said("/lib/x86_64-linux-gnu/libm.so.6").find("no symbol ulpgate_describe"), std::string::npos);
}

TEST_F(Isolated, AMissingChildProgramIsNamed) {
    SubjectOptions o = options();
    o.home = folder;
    const Outcome out = open_subject(folder + "/trouble.so@copy", o)->start();
    EXPECT_EQ(out.event, Event::not_loaded);
    EXPECT_NE(out.what.find("ulpgate-child: No such file"), std::string::npos) << out.what;
}

TEST_F(Isolated, BuiltInKernelsAreFoundInAFixedOrder) {
    const auto names = built_in_subjects(ULPGATE_HOME);
    ASSERT_GE(names.size(), 2u);
    EXPECT_EQ(names[0], "scalar");
    EXPECT_EQ(names[1], "avx2");
    for (const auto& n : byhand_subjects(ULPGATE_HOME)) EXPECT_TRUE(n.starts_with("byhand/"));
}

}  // namespace
}  // namespace ulpgate
