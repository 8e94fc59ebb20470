#include "reference/faults/subject_text.hpp"

#include <gtest/gtest.h>

#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

// "CONTRACT[ KIND]" of each model.
std::vector<std::string> read(std::string_view text, std::string* left_out = nullptr) {
    SubjectModels s;
    const auto bad = parse_subject(text, s);
    EXPECT_FALSE(bad) << text << ": " << (bad ? bad->what : "");
    std::vector<std::string> out;
    for (const Model& m : s.models) out.push_back(print(m.contract) + (m.fault.empty() ? "" : " " + m.fault));
    if (left_out) *left_out = s.left_out;
    return out;
}

using Texts = std::vector<std::string>;

TEST(SubjectText, Forms) {
    EXPECT_EQ(read("model/bf16,cast_first"), (Texts{"bf16,cast_first"}));
    EXPECT_EQ(read("model/bf16,cast_first,fault=eps.none"), (Texts{"bf16,cast_first eps.none"}));
    EXPECT_EQ(read("f32_gain,fma"), (Texts{"bf16,f32_gain", "fp16,f32_gain", "f32,f32_gain"}));
    EXPECT_EQ(read("faulty/eps.outside"), (Texts{"bf16,cast_first eps.outside", "fp16,cast_first eps.outside",
                                                 "f32,cast_first eps.outside"}));
    EXPECT_EQ(read("faulty/eps.value:1e-4,fp16"), (Texts{"fp16,cast_first eps.value:1e-4"}));
    EXPECT_EQ(read("eps.value:1e-4,bf16,f32_gain,order=lanes:8x2"),
              (Texts{"bf16,f32_gain,order=lanes:8x2 eps.value:1e-4"}));
    EXPECT_EQ(read("faulty/lane.dropped:3,f32_gain")[2], "f32,f32_gain lane.dropped:3");
    std::string left_out;
    EXPECT_EQ(read("faulty/gain.one_plus_low", &left_out),
              (Texts{"bf16,cast_first,gain=one_plus gain.one_plus_low",
                     "fp16,cast_first,gain=one_plus gain.one_plus_low"}));
    EXPECT_EQ(left_out,
              "f32 left out: gain.one_plus_low changes nothing (T is f32: the line is the identity)");
    EXPECT_EQ(read("faulty/rstd.low,f32", &left_out), Texts{});
    EXPECT_EQ(left_out, "f32 left out: rstd.low changes nothing (T is f32: the line is the identity)");
    EXPECT_EQ(read("faulty/order.gain_then_cast,bf16,f32_gain", &left_out), Texts{});
    EXPECT_EQ(left_out, "bf16 left out: order.gain_then_cast changes nothing (f32_gain claims this order)");
    for (const Fault* f : faults::all())
        EXPECT_GE(read("faulty/" + std::string(f->kind)).size(), 2u) << f->kind;
}

TEST(SubjectText, ErrorsStandInTheTextThatWasGiven) {
    const struct {
        const char* text;
        std::size_t at;
        const char* what;
    } bad[] = {{"model/bf16,cast_frist", 11, "did you mean 'cast_first'?"},
               {"model/", 6, ""},
               {"model/cast_frist", 6, "did you mean 'cast_first'?"},
               {"model/bf16", 6, "needs a map"},
               {"faulty/", 7, "no fault ''"},
               {"faulty/eps.outsid", 7, "did you mean 'eps.outside'?"},
               {"faulty/eps.value:x", 17, "EPS of eps.value"},
               {"faulty/eps.none,bf16,cast_frist", 21, "did you mean 'cast_first'?"},
               {"faulty/eps.none,cast_first,orde=lanes", 27, "did you mean 'order'?"},
               {"faulty/eps.none,cast_first,fault=rstd.low", 7, "given twice"}};
    for (const auto& b : bad) {
        SubjectModels s;
        const auto e = parse_subject(b.text, s);
        ASSERT_TRUE(e) << b.text;
        EXPECT_EQ(e->at, b.at) << b.text << ": " << e->what;
        EXPECT_NE(e->what.find(b.what), std::string::npos) << b.text << ": " << e->what;
    }
}

}  // namespace
}  // namespace ulpgate
