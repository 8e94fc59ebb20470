// Any case that can be said, for properties: every key, at its default or not.
#pragma once
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {

namespace gen {

inline std::uint32_t word(Type t) {
    const std::uint32_t w = *rc::gen::arbitrary<std::uint32_t>();
    return bytes(t) == 4 ? w : w & 0xffff;
}

inline Program program(Type t, std::int64_t d) {
    Program p;
    p.fill = word(t);
    for (int n = *rc::gen::inRange(0, 4); n; --n) {
        Segment s;
        s.start = *rc::gen::inRange<std::int64_t>(0, d);
        s.stride = *rc::gen::inRange<std::int64_t>(1, d + 1);
        s.count = *rc::gen::inRange<std::int64_t>(1, (d - 1 - s.start) / s.stride + 2);
        const int many = *rc::gen::inRange(0, 3);
        const std::int64_t words = many == 0   ? 1
                                   : many == 1 ? s.count
                                               : *rc::gen::inRange<std::int64_t>(1, 6);
        for (std::int64_t k = 0; k < words; ++k) s.words.push_back(word(t));
        p.segments.push_back(std::move(s));
    }
    return p;
}

inline Claim claim() {
    const char* const maps[] = {"", ",cast_first", ",f32_gain", ",f32_gain,assoc=xw_r",
                                ",cast_first+f32_gain"};
    const char* const rest[] = {
        "",      ",gain=one_plus", ",gain=none", ",residual=unrounded", ",residual=rounded,res=f32,rsqrt=0",
        ",w=f32"};
    const int set = *rc::gen::inRange(0, 5);
    std::string text = std::string(*rc::gen::element("bf16", "fp16", "f32")) + maps[set];
    if (set < 4) text += rest[*rc::gen::inRange(0, 6)];
    Claim c;
    RC_ASSERT(!parse(text, c));
    return c;
}

inline Case any() {
    const auto maybe = [] { return *rc::gen::arbitrary<bool>(); };
    Case c;
    c.op = *rc::gen::element("final_norm", "q_a_layernorm", "kv_a_layernorm");
    c.claim = claim();
    c.d = *rc::gen::inRange<std::int64_t>(1, 40);
    const Contract& k = c.claim[0];
    const int what = *rc::gen::inRange(0, 5);
    if (what < 3)
        c.profile = profiles::all()[*rc::gen::inRange<std::size_t>(0, profiles::all().size())]->name;
    else if (what == 3)
        c.program = program(k.x, c.d);
    else
        c.file = *rc::gen::element("a.safetensors", "/tmp/no file/@a'b%", "x=y/../z@blk.0.attn");
    if (k.gain != Gain::none && maybe()) {
        if (maybe())
            c.w_program = program(k.w, c.d);
        else
            c.gain = gain_rules()[*rc::gen::inRange<std::size_t>(0, gain_rules().size())].name;
    }
    if (k.residual != Residual::none && maybe()) c.residual_program = program(k.res, c.d);
    if (maybe())
        c.eps = maybe() ? *rc::gen::element(0.0, 1e-5, 1e-6, 0.25, 1e-300, 0x1.0c6f7ap-20)
                        : std::bit_cast<double>(*rc::gen::inRange<std::uint64_t>(0, 0x7ff0000000000000));
    c.tokens = *rc::gen::inRange<std::int64_t>(0, 6);
    if (maybe()) c.batch = *rc::gen::inRange<std::int64_t>(0, 4);
    if (maybe()) {
        c.col = *rc::gen::inRange<std::int64_t>(0, 5);
        c.ld = c.d + c.col + *rc::gen::inRange<std::int64_t>(0, 9);
    }
    if (maybe()) c.yld = c.d + *rc::gen::inRange<std::int64_t>(0, 9);
    if (maybe()) c.offset = *rc::gen::inRange<std::int64_t>(0, 16);
    if (maybe()) c.threads = *rc::gen::inRange(1u, 9u);
    if (maybe()) c.seed = *rc::gen::arbitrary<std::uint64_t>();
    if (maybe()) c.h = *rc::gen::arbitrary<std::uint64_t>();
    if (const auto rows = c.batch * c.tokens; rows && maybe())
        c.row = *rc::gen::inRange<std::int64_t>(0, rows);
    return c;
}

}  // namespace gen

inline rc::Gen<Case> any_case() { return rc::gen::exec(gen::any); }

}  // namespace ulpgate
