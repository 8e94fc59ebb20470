// Inputs as bits. RapidCheck's own floats never make a subnormal, a NaN or an infinity; these make every exponent of the
// type and shrink to few columns of 1.0, written out as one case line.
#pragma once
#include <rapidcheck.h>

#include <array>
#include <tuple>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::gen {

enum class Words {
    integers,  // small integers of either sign: every order sums them exactly
    window,    // exponents within 8 of 1.0's
    wide,      // within 40, as far as the type goes
    any        // any bits: subnormals, NaN and Inf among them
};

// Sign, significand and the distance of the exponent from 1.0's shrink towards 0 each.
inline rc::Gen<std::uint32_t> word(Type t, Words how) {
    return with_format(t, [&](auto f) -> rc::Gen<std::uint32_t> {
        using F = decltype(f);
        const auto build = [](bool negative, int up_down, std::uint32_t significand) {
            const int e = F::bias + (up_down % 2 ? -(up_down + 1) / 2 : up_down / 2);
            const auto low = significand & ((1u << F::mantissa_bits) - 1);
            return (negative ? std::uint32_t{F::sign_bit} : 0) | static_cast<std::uint32_t>(e) << F::mantissa_bits | low;
        };
        const auto reach = [](int n) { return std::min(2 * n, 2 * F::bias); };
        const auto sign = rc::gen::arbitrary<bool>();
        const auto significand = rc::gen::inRange<std::uint32_t>(0, 1u << F::mantissa_bits);
        const auto of = [&](int n) {
            return rc::gen::map(rc::gen::tuple(sign, rc::gen::inRange(0, reach(n) + 1), significand),
                                [build](const std::tuple<bool, int, std::uint32_t>& v) { return std::apply(build, v); });
        };
        switch (how) {
        case Words::integers:
            return rc::gen::map(rc::gen::inRange(-16, 17), [](int i) { return static_cast<std::uint32_t>(F::encode(static_cast<float>(i))); });
        case Words::window: return of(8);
        case Words::wide: return of(40);
        case Words::any: break;
        }
        const auto subnormal = rc::gen::map(significand, [](std::uint32_t m) { return m; });
        const auto special = rc::gen::element<std::uint32_t>(0, F::sign_bit, F::max_word, F::inf_word, F::sign_bit | F::inf_word, F::nan_word, 1,
                                                            F::min_normal_word);
        const auto bits = rc::gen::map(rc::gen::tuple(sign, rc::gen::inRange<std::uint32_t>(0, F::sign_bit)),
                                       [](const std::tuple<bool, std::uint32_t>& v) {
                                           return (std::get<0>(v) ? std::uint32_t{F::sign_bit} : 0) | std::get<1>(v);
                                       });
        return rc::gen::weightedOneOf<std::uint32_t>({{8, of(4)}, {4, bits}, {2, subnormal}, {1, special}});
    });
}

// x, w, residual of one column.
using Column = std::array<std::uint32_t, 3>;

inline rc::Gen<std::vector<Column>> columns(const Contract& c, Words x, Words w) {
    const auto column = rc::gen::map(rc::gen::tuple(word(c.x, x), word(c.w, w), word(c.res, x)),
                                     [](const std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>& v) {
                                         return Column{std::get<0>(v), std::get<1>(v), std::get<2>(v)};
                                     });
    return rc::gen::nonEmpty(rc::gen::container<std::vector<Column>>(column));
}

inline Program program(const std::vector<Column>& columns, std::size_t which) {
    Program p;
    p.fill = 0;
    Segment s{0, 1, static_cast<std::int64_t>(columns.size()), {}};
    for (const Column& c : columns) s.words.push_back(c[which]);
    p.segments.push_back(std::move(s));
    return p;
}

// A case of this claim with every word written out; the same row several times.
inline Case written_case(const Claim& claim) {
    const auto how = [] { return *rc::gen::element(Words::integers, Words::window, Words::wide, Words::any); };
    Case c;
    c.claim = claim;
    const auto all = *columns(claim[0], how(), how());
    c.d = static_cast<std::int64_t>(all.size());
    c.program = program(all, 0);
    if (claim[0].gain != Gain::none) c.w_program = program(all, 1);
    if (claim[0].residual != Residual::none) c.residual_program = program(all, 2);
    c.eps = *rc::gen::element(1e-6, 0.0, 1e-5, 0x1p-10, 1e-30);
    c.tokens = *rc::gen::inRange(1, 4);
    return c;
}

// A case of this claim from a profile: rows that differ.
inline Case profile_case(const Claim& claim) {
    Case c;
    c.claim = claim;
    c.d = *rc::gen::inRange<std::int64_t>(1, 200);
    c.profile = profiles::all()[*rc::gen::inRange<std::size_t>(0, profiles::all().size())]->name;
    c.tokens = *rc::gen::inRange(1, 9);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

inline Case any_case(const Claim& claim) { return *rc::gen::arbitrary<bool>() ? profile_case(claim) : written_case(claim); }

}  // namespace ulpgate::gen
