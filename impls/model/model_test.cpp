#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "impls/ulpgate_kernel.h"
#include "reference/base/rng.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

using Describe = const ulpgate_descriptor* (*)(const char*);

Describe describe_function() {
    static const Describe found = [] {
        void* so = dlopen(ULPGATE_HOME "/kernels/model/model.so", RTLD_NOW | RTLD_LOCAL);
        EXPECT_TRUE(so) << dlerror();
        return so ? reinterpret_cast<Describe>(dlsym(so, "ulpgate_describe")) : nullptr;
    }();
    return found;
}

std::vector<std::string> claims(const char* variant) {
    const auto* d = describe_function()(variant);
    std::vector<std::string> out;
    for (std::uint32_t k = 0; d && !d->unavailable && k < d->entry_count; ++k)
        out.emplace_back(d->entries[k].contract);
    return out;
}

std::string unavailable(const char* variant) {
    const auto* d = describe_function()(variant);
    return d && d->unavailable ? d->unavailable : "";
}

// A tensor over memory of the test: rows of `d` with the strides given, every other element `rest`.
struct Memory {
    std::vector<std::byte> bytes_;
    ulpgate_tensor t{};

    Memory(Type type, std::int64_t rows, std::int64_t d, std::int64_t row_stride, std::int64_t column_stride,
           float rest) {
        const auto extent = (rows - 1) * row_stride + (d - 1) * column_stride + 1 + 3;
        bytes_.resize(static_cast<std::size_t>(extent * bytes(type)));
        t = {bytes_.data(),
             static_cast<std::uint32_t>(type),
             2,
             {rows, d, 0, 0},
             {row_stride, column_stride, 0, 0}};
        for (std::int64_t k = 0; k < extent; ++k) put(k, rest);
    }
    void put(std::int64_t at, float v) {
        const auto w = encode(Type{t.type}, v);
        std::memcpy(bytes_.data() + at * bytes(Type{t.type}), &w,
                    static_cast<std::size_t>(bytes(Type{t.type})));
    }
    std::uint32_t word(std::int64_t at) const {
        std::uint32_t w = 0;
        std::memcpy(&w, bytes_.data() + at * bytes(Type{t.type}),
                    static_cast<std::size_t>(bytes(Type{t.type})));
        return w;
    }
};

// The adapter's outputs equal the model's, whatever the strides, and nothing beside the outputs changes.
TEST(ModelKernel, RestatesTheModelThroughTheAbi) {
    for (const char* text : {"bf16,cast_first", "fp16,f32_gain,order=lanes:8x2",
                             "f32,cast_first,fault=eps.outside", "bf16,cast_first,residual=unrounded",
                             "bf16,cast_first,fault=lane.row_mix", "bf16,cast_first,w=f32"})
        for (const auto& [ld, step] :
             std::vector<std::pair<std::int64_t, std::int64_t>>{{9, 1}, {13, 1}, {29, 3}}) {
            constexpr std::int64_t rows = 3, d = 9;
            Model m;
            ASSERT_FALSE(parse(text, m)) << text;
            const Contract& c = m.contract;
            const bool residual = c.residual != Residual::none;
            Memory x(c.x, rows, d, ld, step, NAN), w(c.w, 1, d, d, 1, NAN), y(c.y, rows, d, ld + 2, step, 77);
            Memory res(c.res, rows, d, d, 1, NAN), res_out(c.res, rows, d, d + 1, 1, 77);
            w.t.rank = 1;
            w.t.size[0] = d;
            w.t.stride[0] = 1;
            Sizes sizes;
            sizes[Dim::rows] = rows;
            sizes[Dim::d] = d;
            Tensors t = lay_out(*find_op("final_norm"), c, sizes);
            Rng rng(1, 2, 3);
            for (std::int64_t k = 0; k < rows * d; ++k) {
                const float a = static_cast<float>(rng.gauss()) * 0x1p-16f,
                            b = static_cast<float>(rng.gauss()) * 0x1p-16f;
                x.put(k / d * ld + k % d * step, a);
                res.put(k, b);
                if (k < d) w.put(k, b);
                t.find("x")->set_word(k, encode(c.x, a));
                if (residual) t.find("residual")->set_word(k, encode(c.res, b));
                if (k < d) t.find("w")->set_word(k, encode(c.w, b));
            }
            const auto* desc = describe_function()(text);
            ASSERT_TRUE(desc && !desc->unavailable && desc->entry_count == 1) << text;
            ulpgate_rmsnorm a{};
            a.call.size = sizeof a;
            a.call.entry = desc->entries;
            a.rows = a.tokens = rows;
            a.batch = 1;
            a.d = a.d_stat = d;
            a.eps = t.eps;
            a.x = x.t;
            a.w = w.t;
            a.y = y.t;
            if (residual) a.residual = res.t, a.residual_out = res_out.t;
            const auto gap = y;
            ASSERT_EQ(desc->entries[0].rmsnorm(&a), ULPGATE_OK) << text;
            const auto want = m.run(t);
            for (std::size_t k = 0; k < t.all.size(); ++k) {
                if (want[k].empty()) continue;
                const bool is_y = t.all[k].spec->name == "y";
                std::vector<float> values(rows * d);
                unpack(t.all[k].type, want[k].data(), values);
                for (std::int64_t e = 0; e < rows * d; ++e) {
                    const auto at = is_y ? e / d * (ld + 2) + e % d * step : e / d * (d + 1) + e % d;
                    EXPECT_EQ((is_y ? y : res_out).word(at),
                              encode(t.all[k].type, values[static_cast<std::size_t>(e)]))
                        << text << " " << e;
                }
            }
            std::int64_t untouched = 0, elements = static_cast<std::int64_t>(y.bytes_.size()) / bytes(c.y);
            for (std::int64_t k = 0; k < elements; ++k) untouched += y.word(k) == gap.word(k);
            EXPECT_GE(untouched, elements - rows * d) << text;
            a.y.type = ULPGATE_I8;
            EXPECT_EQ(desc->entries[0].rmsnorm(&a), ULPGATE_BAD_ARGUMENT) << text;
            a.y = y.t;
            a.d = 8;
            EXPECT_EQ(desc->entries[0].rmsnorm(&a), ULPGATE_BAD_ARGUMENT) << text;
            a.d = d;
            a.w.data = nullptr;
            EXPECT_EQ(desc->entries[0].rmsnorm(&a), ULPGATE_BAD_ARGUMENT) << text;
        }
}

TEST(ModelKernel, ClaimsTheContractWithoutTheFault) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(claims("model/bf16,cast_first"), (Texts{"bf16,cast_first"}));
    EXPECT_EQ(claims("bf16,cast_first,order=lanes:16x2,fma,fault=eps.none"),
              (Texts{"bf16,cast_first,order=lanes:16x2"}));
    EXPECT_EQ(claims("model/f32_gain"), (Texts{"bf16,f32_gain", "fp16,f32_gain", "f32,f32_gain"}));
    EXPECT_EQ(claims(nullptr), (Texts{"bf16,cast_first", "fp16,cast_first", "f32,cast_first"}));
    EXPECT_EQ(claims("faulty/eps.outside"), (Texts{"bf16,cast_first", "fp16,cast_first", "f32,cast_first"}));
    EXPECT_EQ(claims("faulty/order.gain_then_cast"), (Texts{"bf16,cast_first", "fp16,cast_first"}));
    EXPECT_EQ(claims("eps.value:1e-4,bf16,f32_gain"), (Texts{"bf16,f32_gain"}));
    EXPECT_EQ(claims("faulty/rstd.low,fp16"), (Texts{"fp16,cast_first"}));
    EXPECT_EQ(claims("faulty/gain.one_plus_low"),
              (Texts{"bf16,cast_first,gain=one_plus", "fp16,cast_first,gain=one_plus"}));
    const auto* d = describe_function()("faulty/acc.low");
    EXPECT_EQ(std::string(d->version),
              "f32 left out: acc.low changes nothing (T is f32: the line is the identity)");
    EXPECT_EQ(describe_function()("faulty/lane.dropped:700")->entries[0].d_min, 701);
    EXPECT_EQ(describe_function()("faulty/lane.dropped")->entries[0].d_min, 1);
    for (const Fault* f : faults::all())
        EXPECT_FALSE(claims(("faulty/" + std::string(f->kind)).c_str()).empty()) << f->kind;
}

TEST(ModelKernel, SaysWhatIsWrongWithATextAndWhatAFaultCannotShow) {
    EXPECT_NE(unavailable("faulty/eps.outsid").find("did you mean 'eps.outside'?"), std::string::npos)
        << unavailable("faulty/eps.outsid");
    EXPECT_NE(unavailable("model/bf16,cast_frist").find("did you mean 'cast_first'?"), std::string::npos);
    EXPECT_NE(unavailable("model/bf16").find("needs a map"), std::string::npos);
    EXPECT_NE(unavailable("faulty/lane.dropped:x")
                  .find("COLUMN of lane.dropped is a number of at least 0, not 'x'"),
              std::string::npos);
    EXPECT_EQ(unavailable("faulty/rstd.low,f32,cast_first"),
              "f32 left out: rstd.low changes nothing (T is f32: the line is the identity)");
    EXPECT_NE(unavailable("faulty/gain.one_plus_low,bf16,cast_first").find("say gain=one_plus"),
              std::string::npos);
}

}  // namespace
}  // namespace ulpgate
