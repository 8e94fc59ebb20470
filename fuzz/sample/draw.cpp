#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "fuzz/sample/space.hpp"
#include "properties/profiles/build.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::fuzzing {
namespace {

constexpr std::array<std::string_view, 3> rms_ops{"q_a_layernorm", "final_norm", "kv_a_layernorm"};
// Where kernels change their block.
constexpr std::array<std::int64_t, 8> large_batches{256, 257, 255, 512, 128, 127, 64, 1024};
constexpr std::array<double, 8> epsilons{1e-5, 0, 0x1p-20, 0x1p-149, 1e-12, 0.5, 0x1p-126, 0x1p-7};

// A finite value with `bits` random significand bits at exponent e, where the type has it.
std::uint32_t value_at(Type t, int e, int bits, Rng& r) {
    const double m = 1 + static_cast<double>(r.below(1u << bits)) / (1u << bits);
    const bool negative = r.below(4) == 0;
    const double v = m * build::pow2(std::clamp(e, -1000, 1000));
    return encode(t, negative ? -v : v);
}

std::int64_t columns_left(std::int64_t d, std::int64_t start, std::int64_t stride) { return (d - 1 - start) / stride + 1; }

}  // namespace

std::uint32_t draw_word(Type t, double eps, Rng& r) {
    const int precision_bits = std::min(precision(t) - 1, 20);
    switch (r.below(16)) {
    case 0: return static_cast<std::uint32_t>(r.next() >> 32) & (bytes(t) == 4 ? 0xffffffffu : 0xffffu);
    case 1: return encode(t, 0.0f);
    case 2:
        return with_format(t, [&](auto f) -> std::uint32_t {
            const std::uint32_t special[] = {f.inf_word,           f.nan_word, f.max_word, f.min_normal_word,
                                             f.min_subnormal_word, f.sign_bit, f.sign_bit | f.max_word};
            return special[r.below(std::size(special))];
        });
    case 3:
    case 4: return value_at(t, build::eps_level(eps) + r.between(-4, 4), precision_bits, r);
    case 5:
    case 6: return value_at(t, r.between(-8, 7), 0, r);
    default: return value_at(t, r.between(-8, 7), precision_bits, r);
    }
}

Program draw_program(Type t, std::int64_t d, double eps, Rng& r) {
    Program p;
    p.fill = draw_word(t, eps, r);
    for (std::uint32_t n = r.below(13); n; --n) {
        Segment s;
        s.start = r.below(4) ? r.below(static_cast<std::uint32_t>(d)) : r.below(static_cast<std::uint32_t>(std::min<std::int64_t>(d, 32)));
        s.stride = std::int64_t{1} << r.below(9);
        s.count = 1 + r.below(static_cast<std::uint32_t>(columns_left(d, s.start, s.stride)));
        s.words = {draw_word(t, eps, r)};
        p.segments.push_back(std::move(s));
    }
    return p;
}

namespace {

void draw_layout(Case& c, Rng& r) {
    const std::uint32_t dice = r.below(16);
    if (dice == 0) c.ld = c.d + 1 + r.below(40);
    if (dice == 1) c.yld = c.d + 1 + r.below(40);
    if (dice == 2) c.offset = r.below(16);
    if (dice == 3) c.threads = 1 + r.below(4);
    if (dice == 4) {
        c.col = r.below(33);
        c.ld = c.d + c.col + r.below(9);
    }
}

void draw_gain(Case& c, const Contract& k, Rng& r) {
    if (k.gain == Gain::none) return;
    const std::uint32_t dice = r.below(8);
    if (dice == 0) c.w_program = draw_program(k.w, c.d, 1, r);
    else if (dice < 4) c.gain = gain_rules()[r.below(static_cast<std::uint32_t>(gain_rules().size()))].name;
    else c.gain = k.gain == Gain::given ? "random" : "one_plus";
    // master is the gain of a probe: an ordinary one in its place is no loss.
    if (c.gain == "master") c.gain = "coded";
}

}  // namespace

std::int64_t draw_rows(const Space& s, std::int64_t d, Rng& r) {
    const std::int64_t most = std::max<std::int64_t>(1, s.elements / d);
    if (r.below(8) == 0) {
        const std::int64_t rows = large_batches[r.below(large_batches.size())];
        if (rows <= most || (rows * d <= s.batch_elements && r.below(8) == 0)) return rows;
    }
    return 1 + r.below(static_cast<std::uint32_t>(std::min<std::int64_t>(most, r.below(3) ? 8 : 1)));
}

Case draw_case(const Space& s, const SpaceEntry& e, Rng& r) {
    Case c;
    const Contract& k = e.claim[0];
    c.op = rms_ops[r.below(3)];
    c.claim = e.claim;
    c.d = draw_width(s, e, r);
    c.tokens = draw_rows(s, c.d, r);
    c.eps = r.below(4) ? 1e-6 : epsilons[r.below(epsilons.size())];
    draw_gain(c, k, r);
    draw_layout(c, r);
    c.seed = r.next() >> 32;
    if (r.below(2)) {
        std::vector<const Profile*> wanted;
        for (const Profile* p : profiles::all())
            if (s.probes || !p->probe) wanted.push_back(p);
        c.profile = wanted[r.below(static_cast<std::uint32_t>(wanted.size()))]->name;
        return c;
    }
    c.program = draw_program(k.x, c.d, c.eps, r);
    if (k.residual != Residual::none) c.residual_program = draw_program(k.res, c.d, c.eps, r);
    return c;
}

}  // namespace ulpgate::fuzzing
