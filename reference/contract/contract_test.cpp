#include "reference/contract/contract.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

Claim read(std::string_view text) {
    Claim c;
    const auto bad = parse(text, c);
    EXPECT_FALSE(bad) << text << ": " << bad->what;
    return c;
}

template <class T>
T one_of(std::initializer_list<T> values) {
    return *rc::gen::elementOf(std::vector<T>(values));
}

std::string some_of(std::initializer_list<const char*> words) {
    std::string s;
    for (const char* w : words)
        if (*rc::gen::arbitrary<bool>()) s += (s.empty() ? "" : ".") + std::string(w);
    return s.empty() ? "none" : s;
}

// Any contract that is consistent in itself.
Contract any_contract() {
    const auto types = {Type::bf16, Type::fp16, Type::f32};
    Contract c = default_contract(one_of<Type>(types), one_of<Map>({Map::none, Map::cast_first, Map::f32_gain}));
    c.gain = one_of<Gain>({Gain::given, Gain::none, Gain::one_plus, Gain::one_plus_t});
    if (c.gain != Gain::none) c.w = one_of<Type>(types);
    c.y = one_of<Type>(types);
    if (c.map == Map::f32_gain) c.assoc = one_of<Assoc>({Assoc::any, Assoc::xr_w, Assoc::x_rw, Assoc::xw_r});
    c.by = one_of<By>({By::mul, By::div});
    c.beta = one_of<Given>({Given::none, Given::given});
    c.rstd = one_of<Emit>({Emit::none, Emit::out});
    c.residual = one_of<Residual>(
        {Residual::none, Residual::rounded, Residual::unrounded, Residual::var_unrounded, Residual::norm_unrounded});
    if (c.residual != Residual::none) c.res = one_of<Type>(types);
    c.quant = one_of<Quant>({Quant::none, Quant::e4m3, Quant::i8});
    if (c.quant != Quant::none) {
        c.qscale = one_of<std::string>({"given", "token", "group:128"});
        c.qfrom = one_of<QuantFrom>({QuantFrom::t, QuantFrom::f32});
        c.qby = one_of<QuantBy>({QuantBy::recip, QuantBy::div});
        c.qover = one_of<QuantOver>({QuantOver::sat, QuantOver::sat_nan, QuantOver::nan});
    }
    c.ftz = some_of({"x", "sum", "y"});
    c.stat = one_of<Stat>({Stat::ms, Stat::mean_m2});
    c.stat_width = one_of<std::int64_t>({0, 1, 2112});
    c.sq = one_of<Accumulate>({Accumulate::f32, Accumulate::f64, Accumulate::t});
    c.acc = one_of<Accumulate>({Accumulate::f32, Accumulate::f64, Accumulate::t});
    std::vector<std::string> names{"any"};
    for (const Order* o : orders::all()) names.emplace_back(o->name);
    names.emplace_back("lanes:16x2");
    c.order = *rc::gen::elementOf(names);
    c.mean = one_of<Mean>({Mean::any, Mean::div, Mean::recip});
    c.rsqrt = *rc::gen::inRange(0, 70000);
    c.inplace = one_of<InPlace>({InPlace::never, InPlace::may, InPlace::must});
    c.holds = some_of({"rerun", "batch", "align", "stride"});
    return c;
}

RC_GTEST_PROP(Contract, RoundTrip, ()) {
    const Contract c = any_contract();
    const std::string text = print(c);
    Claim back;
    const auto bad = parse(text, back);
    RC_ASSERT(!bad);
    RC_ASSERT(back == Claim{c});
    RC_ASSERT(print(back) == text);
    const std::string bare = print(c, false);
    Claim again;
    RC_ASSERT(!parse(std::string(name(c.x)) + (bare.empty() ? "" : ",") + bare, again));
    RC_ASSERT(again == Claim{c});
}

RC_GTEST_PROP(Contract, RoundTripOfASet, ()) {
    Contract a = any_contract(), b = any_contract();
    a.map = Map::cast_first;
    a.assoc = Assoc::any;
    b.map = Map::f32_gain;
    b.x = a.x, b.w = a.w, b.y = a.y, b.res = a.res, b.gain = a.gain, b.residual = a.residual;
    const Claim set{a, b};
    Claim back, inherits;
    RC_ASSERT(!parse(print(set), back));
    RC_ASSERT(back == set);
    RC_ASSERT(!parse(std::string(name(a.x)) + "," + print(set, false), inherits));
    RC_ASSERT(inherits == set);
}

// Whatever is thrown at it, the reader ends with a place inside the text or at its end.
RC_GTEST_PROP(Contract, ErrorsHaveAPlace, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("bf16,cast_rw=xd+:.23 Z")));
    Claim c;
    if (const auto bad = parse(text, c)) {
        RC_ASSERT(bad->at <= text.size());
        RC_ASSERT(!bad->what.empty());
    }
}

TEST(Contract, FieldsThatFollowFromOthers) {
    const Contract c = read("bf16,cast_first")[0];
    EXPECT_EQ(c, default_contract(Type::bf16, Map::cast_first));
    EXPECT_EQ(c.w, Type::bf16);
    EXPECT_EQ(c.y, Type::bf16);
    EXPECT_EQ(c.rsqrt, 2);
    EXPECT_EQ(read("bf16,cast_first,w=f32")[0].y, Type::f32);  // the specification promotes
    EXPECT_EQ(read("f32,cast_first,w=bf16")[0].y, Type::f32);
    EXPECT_EQ(read("bf16,cast_first,w=fp16")[0].y, Type::f32);
    EXPECT_EQ(read("bf16")[0].map, Map::none);
    EXPECT_EQ(print(Contract{.x = Type::fp16}), "fp16");
    EXPECT_EQ(print(Contract{.x = Type::fp16}, false), "");
}

TEST(Contract, PrintsInOneOrderWithoutDefaults) {
    for (const auto& [given, printed] : std::initializer_list<std::pair<const char*, const char*>>{
             {"bf16,rsqrt=3,assoc=x_rw,y=bf16,w=f32,f32_gain", "bf16,f32_gain,w=f32,y=bf16,assoc=x_rw,rsqrt=3"},
             {"bf16,cast_first,w=bf16,y=bf16,by=mul,order=any,rsqrt=2,holds=rerun,ftz=none", "bf16,cast_first"},
             {"bf16,cast_first,w=f32,y=f32", "bf16,cast_first,w=f32"},
             {"bf16,f32_gain,ftz=y.x,holds=stride.rerun", "bf16,f32_gain,ftz=x.y,holds=rerun.stride"},
             {"bf16,cast_first+f32_gain", "bf16,cast_first+bf16,f32_gain"},
             {"bf16,cast_first,order=lanes:8x4", "bf16,cast_first,order=lanes"},
             {"bf16,cast_first,order=lanes:16x2", "bf16,cast_first,order=lanes:16x2"},
         })
        EXPECT_EQ(print(read(given)), printed);
    EXPECT_EQ(print(read("bf16,cast_first+f32_gain"), false), "cast_first+f32_gain");
}

TEST(Contract, TheTableOfFieldsIsTheHelp) {
    for (const auto& f : contract_fields()) {
        EXPECT_FALSE(f.values.empty()) << f.key;
        EXPECT_FALSE(f.default_value.empty()) << f.key;
        EXPECT_FALSE(f.consequence.empty()) << f.key;
    }
    EXPECT_EQ(contract_fields().size(), 38u) << "one for each member of Contract";
}

TEST(Contract, BadTexts) {
    struct Bad {
        const char* text;
        std::size_t at;
        const char* what;
    };
    for (const auto& [text, at, what] : std::initializer_list<Bad>{
             {"", 0, "nothing stands here: TYPE[,MAP][,key=value]..., as in bf16,cast_first"},
             {"BF16", 0, "the character 'B' has no place in a contract"},
             {"bf16 ,cast_first", 4, "the character ' '"},
             {"bf61", 0,
              "'bf61' is not a type (bf16, fp16, f32), a map (cast_first, f32_gain) or key=value; did you mean "
              "'bf16'?"},
             {"cast_first", 0, "no type (bf16, fp16, f32)"},
             {"cast_first,bf16", 11, "the type 'bf16' must come first"},
             {"bf16,fp16", 5, "the type 'fp16' must come first"},
             {"bf16,cast_frist", 5, "did you mean 'cast_first'?"},
             {"bf16,cast_first,f32_gain", 16, "a second map 'f32_gain': a set is written with '+'"},
             {"bf16,cast_first,", 16, "nothing stands here"},
             {"bf16,cast_first+", 16, "nothing stands here"},
             {"bf16,rsqrt", 5, "'rsqrt' needs a value: rsqrt= an integer"},
             {"bf16,cast_first,rsqr=2", 16, "no field 'rsqr'; did you mean 'rsqrt'?"},
             {"bf16,cast_first,rsqrt=", 22, "'' is not a value of rsqrt"},
             {"bf16,cast_first,rsqrt=two", 22, "'two' is not a value of rsqrt: an integer 0 to 1048576"},
             {"bf16,cast_first,rsqrt=9999999", 22, "'9999999' is not a value of rsqrt"},
             {"bf16,cast_first,rsqrt=1,rsqrt=2", 24, "'rsqrt' is given twice"},
             {"bf16,f32_gain,assoc=xrw", 20,
              "'xrw' is not a value of assoc: any, xr_w, x_rw, xw_r; did you mean 'xr_w'?"},
             {"bf16,cast_first,assoc=xr_w", 0, "assoc is a choice of the map f32_gain only"},
             {"bf16,cast_first,w=f64", 18, "'f64' is not a value of w: bf16, fp16, f32"},
             {"bf16,cast_first,gain=none,w=f32", 0, "gain=none has no gain: leave w out"},
             {"bf16,cast_first,res=f32", 0, "say residual=..."},
             {"bf16,cast_first,order=sequental", 22, "did you mean 'sequential'?"},
             {"bf16,cast_first,order=lane:8x4", 22, "did you mean 'lanes:LANESxACCS'?"},
             {"bf16,cast_first,order=lanes:8", 22, "did you mean 'lanes:LANESxACCS'?"},
             {"bf16,cast_first,order=sequential:4", 22, "is not a value of order"},
             {"bf16,cast_first,ftz=x.x", 20, "'x.x' is not a value of ftz: none, or any of x.sum.y"},
             {"bf16,cast_first,holds=rerun.none", 22, "is not a value of holds"},
             {"bf16,cast_first,qscale=group:0", 23, "'group:0' is not a value of qscale"},
             {"bf16,cast_first,qscale=token", 0, "qscale needs quant"},
             {"bf16,cast_first+fp16,f32_gain", 16, "share their tensors: TYPE is fp16 here, bf16 in the first"},
             {"bf16,cast_first,w=f32+f32_gain", 22, "share their tensors: w is bf16 here, f32 in the first"},
             {"bf16,cast_first+gain=none,f32_gain", 16, "gain and residual are in all of them or in none"},
             {"bf16,cast_first+bf16", 16, "each member of a set names its map"},
         }) {
        Claim c{default_contract(Type::f32)};
        const auto bad = parse(text, c);
        ASSERT_TRUE(bad) << text;
        EXPECT_EQ(bad->at, at) << text << ": " << bad->what;
        EXPECT_NE(bad->what.find(what), std::string::npos) << text << ": " << bad->what;
        EXPECT_EQ(c.size(), 1u) << "a text that is refused leaves the claim alone";
    }
}

}  // namespace
}  // namespace ulpgate
