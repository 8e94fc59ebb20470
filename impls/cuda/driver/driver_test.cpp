// The GPU's runner from end to end, on a driver whose GPU is the executor; and what it says where something fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <tuple>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"
#include "reference/ops/op.hpp"

namespace ulpgate {
namespace {

namespace fs = std::filesystem;

// The built-in module beside "cubins" that the stub can read: PTX text.
class Gpu : public ::testing::Test {
  protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("ulpgate_gpu_" + std::to_string(::getpid()));
        fs::create_directories(folder);
        const fs::path built = ULPGATE_HOME "/kernels/cuda";
        const auto copy = [](const fs::path& from, const fs::path& to) { fs::copy_file(from, to, fs::copy_options::overwrite_existing); };
        copy(built / "cuda.so", folder / "cuda.so");
        for (const std::string name : {"rmsnorm", "query"}) {
            copy(built / (name + ".toml"), folder / (name + ".toml"));
            for (const std::string arch : {".sm_80", ".sm_90"})
                for (const char* end : {".ptx", ".cubin"}) copy(built / (name + arch + ".ptx"), folder / (name + arch + end));
        }
    }
    void TearDown() override { fs::remove_all(folder); }

    using Environment = std::vector<std::pair<std::string, std::string>>;
    std::unique_ptr<Subject> open(const Environment& environment = {}) const {
        SubjectOptions o;
        o.home = ULPGATE_HOME;
        o.child_env = environment;
        if (environment.empty() || environment[0].first != "ULPGATE_CUDA_DRIVER")
            o.child_env.emplace_back("ULPGATE_CUDA_DRIVER", ULPGATE_HOME "/testing/stub_driver.so");
        return open_subject((folder / "cuda.so").string(), o);
    }
    void expect_start(const Environment& environment, Event event, const std::string& words) const {
        const Outcome o = open(environment)->start();
        EXPECT_EQ(o.event, event) << o.what;
        EXPECT_NE(o.what.find(words), std::string::npos) << o.what;
    }
    static Tensors tensors(const std::string& contract, std::int64_t rows, std::int64_t d, std::int64_t ld = 0) {
        Claim claim;
        EXPECT_FALSE(parse(contract, claim));
        const Op& op = *find_op("kv_a_layernorm");
        Sizes n;
        op.defaults(n);
        n[Dim::tokens] = rows;
        n[Dim::d] = d;
        op.derive(n);
        Tensors t = lay_out(op, claim[0], n, ld, ld);
        for (Tensor& v : t.all)
            if (v.spec->input())
                for (std::int64_t k = 0; k < v.extent(); ++k) {
                    const auto w = static_cast<std::uint32_t>(0x3c00 + (k * 37) % 1000);  // near 1 in fp16, small in bf16
                    v.set_word(k, bytes(v.type) == 4 ? w << 16 | static_cast<std::uint32_t>(k * 7919 % 65536) : w);
                }
        return t;
    }
    static Tensors query_tensors(const EntryInfo& e) {
        Claim claim;
        EXPECT_FALSE(parse(e.contract, claim));
        const Op& op = *find_op(e.abi == Abi::linear ? "head" : "mla_query");
        Sizes n;
        op.defaults(n);
        n[Dim::tokens] = 3;
        n[op.d] = 72;
        if (e.abi == Abi::linear) n[Dim::b_out] = 20;
        else n[Dim::q_rank] = 16, n[Dim::heads] = 2, n[Dim::kv_rank] = 6, n[Dim::nope] = 8, n[Dim::rope] = 4, n[Dim::places] = 8;
        if (claim[0].kv == Kv::fused) n[Dim::kv_out] = 6 + 4;
        op.derive(n);
        Tensors t = lay_out(op, claim[0], n, 0, 0);
        for (Tensor& v : t.all)
            if (v.spec->input())
                for (std::int64_t k = 0; k < v.extent(); ++k) {
                    if (v.type == Type::i64) {
                        const std::int64_t position = k % 8;
                        std::memcpy(v.storage.data() + k * 8, &position, 8);
                        continue;
                    }
                    const auto w = static_cast<std::uint32_t>((bytes(v.type) == 1 ? 0x30 : 0x3c00) + (k * 37) % (bytes(v.type) == 1 ? 20 : 900));
                    v.set_word(k, bytes(v.type) == 4 ? 0x3f800000u + static_cast<std::uint32_t>(k * 7919 % 65536) : w);
                }
        return t;
    }
    void expect_call(const Environment& environment, Event event, const std::string& words) const {
        auto s = open(environment);
        ASSERT_EQ(s->start().event, Event::ok);
        const Outcome o = s->run(0, tensors("bf16", 3, 64));
        EXPECT_EQ(o.event, event) << o.what;
        EXPECT_NE(o.what.find(words), std::string::npos) << o.what;
    }
    fs::path folder;
};

TEST_F(Gpu, HasTheExecutorsBits) {
    auto gpu = open();
    ASSERT_EQ(gpu->start().event, Event::ok);
    EXPECT_EQ(gpu->version(), "stub card, sm_90, driver 13.0");
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    auto executor = open_subject("ptx@sm_90", o);
    ASSERT_EQ(executor->start().event, Event::ok);
    ASSERT_EQ(gpu->entries().size(), executor->entries().size());
    for (std::size_t k = 0; k < gpu->entries().size(); ++k) {
        if (gpu->entries()[k].abi != Abi::rmsnorm) continue;
        for (const auto& [rows, d, ld] : {std::tuple{0, 512, 0}, {1, 1, 0}, {3, 7, 9}, {9, 512, 576}, {2, 1537, 0}}) {
            const Tensors t = tensors(gpu->entries()[k].contract, rows, d, ld);
            const Outcome a = gpu->run(k, t), b = executor->run(k, t);
            ASSERT_EQ(a.event, b.event) << gpu->entries()[k].contract << ' ' << rows << 'x' << d << ": " << a.what << b.what;
            EXPECT_EQ(a.out, b.out) << gpu->entries()[k].contract << ' ' << rows << 'x' << d;
        }
    }
}
// The query path and projections: every entry.
TEST_F(Gpu, HasTheExecutorsBitsOfTheQueryPath) {
    auto gpu = open();
    ASSERT_EQ(gpu->start().event, Event::ok);
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    auto executor = open_subject("ptx@sm_90", o);
    ASSERT_EQ(executor->start().event, Event::ok);
    int run = 0;
    for (std::size_t k = 0; k < gpu->entries().size(); ++k) {
        const EntryInfo& e = gpu->entries()[k];
        if (e.abi == Abi::rmsnorm) continue;
        const Tensors t = query_tensors(e);
        const Outcome a = gpu->run(k, t), b = executor->run(k, t);
        ASSERT_EQ(a.event, Event::ok) << e.contract << ": " << a.what;
        ASSERT_EQ(b.event, Event::ok) << e.contract << ": " << b.what;
        EXPECT_EQ(a.out, b.out) << e.contract;
        ++run;
    }
    EXPECT_GE(run, 17);
}
TEST_F(Gpu, RunsTheCubinOfTheCardsMajorVersion) {
    auto s = open({{"STUB_ARCH", "89"}});
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->version(), "stub card, sm_80, driver 13.0");
    EXPECT_EQ(s->run(0, tensors("bf16", 3, 64)).event, Event::ok);
}
TEST_F(Gpu, SaysWhyItCannotRun) {
    expect_start({{"ULPGATE_CUDA_DRIVER", "/nowhere/libcuda.so.1"}}, Event::unavailable, "no CUDA driver: /nowhere/libcuda.so.1: cannot open");
    expect_start({{"ULPGATE_CUDA_DRIVER", "libm.so.6"}}, Event::unavailable, "the driver library has no cuInit");
    expect_start({{"STUB_FAIL", "cuInit=803"}}, Event::unavailable, "cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)");
    expect_start({{"STUB_DEVICES", "0"}}, Event::unavailable, "the CUDA driver shows no device");
    expect_start({{"STUB_ARCH", "75"}}, Event::unavailable, "no cubin for stub card (sm_75)");
    fs::remove(folder / "rmsnorm.sm_90.cubin");
    expect_start({}, Event::unavailable, "no rmsnorm.sm_90.cubin: built without nvcc");
}
TEST_F(Gpu, ABrokenCubinIsNoReasonToSkip) {
    fs::resize_file(folder / "rmsnorm.sm_90.cubin", 1000);
    expect_start({}, Event::not_loaded, "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200)");
}
TEST_F(Gpu, ErrorsOfTheDriverAreTold) {
    expect_call({{"STUB_FAIL", "cuMemAlloc_v2=2"}}, Event::crashed, "on the device: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)");
    expect_call({{"STUB_FAIL", "cuMemcpyHtoD_v2=1@2"}}, Event::crashed, "cuMemcpyHtoD_v2: CUDA_ERROR_INVALID_VALUE (1)");
    expect_call({{"STUB_FAIL", "cuModuleGetFunction=500"}}, Event::failed, "stub card: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500)");
    expect_call({{"STUB_FAIL", "cuLaunchKernel=1"}}, Event::failed, "stub card: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)");
    expect_call({{"STUB_FAIL", "cuStreamSynchronize=700@1"}}, Event::failed, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    expect_call({{"STUB_FAIL", "cuStreamSynchronize=700@2"}}, Event::crashed, "on the device: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    expect_call({{"STUB_FAIL", "cuLaunchKernel=12345"}}, Event::failed, "an error without a name (12345)");
}
// Parameters begin with the addresses of x, w, nothing, y.
TEST_F(Gpu, WhatTheKernelWritesIsSaidToTheByte) {
    expect_call({{"STUB_DAMAGE", "3,-1"}}, Event::corrupted, "1 before y");
    expect_call({{"STUB_DAMAGE", "3,384"}}, Event::corrupted, "past the end of y");
    expect_call({{"STUB_DAMAGE", "0,5"}}, Event::corrupted, "wrote to its input x at byte 5");
    expect_call({{"STUB_DAMAGE", "1,-3"}}, Event::corrupted, "touched byte 3 before w");
}
TEST_F(Gpu, AnotherBitThanTheExecutorsIsTold) {
    expect_call({{"STUB_DAMAGE", "3,130"}}, Event::failed, "y [1, 1]: the GPU gives ");
}

}  // namespace
}  // namespace ulpgate
