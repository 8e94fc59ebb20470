#include <algorithm>

#include "fuzz/sample/space.hpp"
#include "properties/profiles/gains.hpp"

namespace ulpgate::fuzzing {
namespace {

std::uint32_t index(std::size_t n, Rng& r) { return r.below(static_cast<std::uint32_t>(n)); }

// A neighbour on the line of values, another significand, exponent or sign; now and then a new word.
std::uint32_t changed(std::uint32_t word, Type t, double eps, Rng& r) {
    return with_format(t, [&](auto f) -> std::uint32_t {
        const std::uint32_t unit = 1u << f.mantissa_bits, m = unit - 1, dice = r.below(16);
        const std::uint32_t magnitude = word & f.abs_mask, sign = word & f.sign_bit;
        if (dice < 6) return sign | (magnitude & ~m) | ((magnitude + (dice & 1 ? 1 : m)) & m);  // wraps in its binade
        if (dice < 8) return sign | (magnitude & ~m) | (static_cast<std::uint32_t>(r.next() >> 32) & m);
        if (dice < 11 && magnitude + unit <= f.max_word) return sign | (magnitude + unit);
        if (dice < 14 && magnitude >= 2 * unit) return sign | (magnitude - unit);
        if (dice < 15) return word ^ f.sign_bit;
        return draw_word(t, eps, r);
    });
}

std::int64_t moved(std::int64_t v, std::int64_t lowest, std::int64_t highest, Rng& r) {
    if (highest <= lowest) return lowest;
    switch (r.below(4)) {
    case 0: v += r.below(2) ? 1 : -1; break;
    case 1: v = r.below(2) ? v * 2 : v / 2; break;
    case 2: v += r.below(2) ? 32 : -32; break;
    default: v = lowest + r.below(static_cast<std::uint32_t>(std::min<std::int64_t>(highest - lowest + 1, 1 << 30)));
    }
    return std::clamp(v, lowest, highest);
}

// Inside the row again.
void fit(Segment& s, std::int64_t d) {
    s.start = std::clamp<std::int64_t>(s.start, 0, d - 1);
    s.stride = std::max<std::int64_t>(1, s.stride);
    s.count = std::clamp<std::int64_t>(s.count, 1, (d - 1 - s.start) / s.stride + 1);
}
void fit(Program& p, std::int64_t d) {
    for (Segment& s : p.segments) fit(s, d);
}

constexpr std::size_t most = 12;

}  // namespace

void mutate_program(Program& p, const Program& other, Type t, std::int64_t d, double eps, Rng& r) {
    if (!p.fill) p.fill = encode(t, 0.0f);
    const std::size_t n = p.segments.size();
    switch (r.below(10)) {
    case 0: p.fill = changed(*p.fill, t, eps, r); return;
    case 1: {
        if (n >= most) break;
        Program drawn = draw_program(t, d, eps, r);
        if (!drawn.segments.empty()) p.segments.push_back(std::move(drawn.segments[0]));
        return;
    }
    case 2:
        if (n) p.segments.erase(p.segments.begin() + index(n, r));
        return;
    case 3: {
        if (!n || n >= most) break;
        Segment s = p.segments[index(n, r)];
        s.start = moved(s.start, 0, d - 1, r);
        fit(s, d);
        p.segments.push_back(std::move(s));
        return;
    }
    case 4:
        if (!other.segments.empty() && n < most) {
            p.segments.push_back(other.segments[index(other.segments.size(), r)]);
            fit(p.segments.back(), d);
        }
        return;
    case 5:
        if (n > 1) std::swap(p.segments[index(n, r)], p.segments[index(n, r)]);
        return;
    default: break;
    }
    if (!n) {
        p.fill = changed(*p.fill, t, eps, r);
        return;
    }
    Segment& s = p.segments[index(n, r)];
    switch (r.below(8)) {
    case 0: s.start = moved(s.start, 0, d - 1, r); break;
    case 1: s.stride = r.below(2) ? s.stride * 2 : std::max<std::int64_t>(1, s.stride / 2); break;
    case 2:
    case 3: s.count = moved(s.count, 1, d, r); break;
    default:
        auto& w = s.words[index(s.words.size(), r)];
        w = changed(w, t, eps, r);
    }
    if (s.stride >= d) s.stride = 1;
    fit(s, d);
}

Case mutate_case(const Space& space, const SpaceEntry& e, const Case& parent, const Case& other, Rng& r) {
    Case c = parent;
    c.h = 0;
    c.row = -1;
    const Contract& k = e.claim[0];
    for (std::uint32_t n = 1 + r.below(4); n; --n) {
        const std::uint32_t dice = r.below(16);
        if (dice < 9 && c.program.fill) mutate_program(c.program, other.program, k.x, c.d, c.eps, r);
        else if (dice < 9) c.seed = r.next() >> 32;
        else if (dice == 9 && c.w_program.fill) mutate_program(c.w_program, other.w_program, k.w, c.d, 1, r);
        else if (dice == 10 && c.residual_program.fill) mutate_program(c.residual_program, other.residual_program, k.res, c.d, c.eps, r);
        else if (dice == 11) {
            c.d = draw_width(space, e, r);
            c.ld = c.yld = c.col = 0;
            c.tokens = std::min(c.tokens, std::max<std::int64_t>(1, space.elements / c.d));
            fit(c.program, c.d);
            fit(c.w_program, c.d);
            fit(c.residual_program, c.d);
        } else if (dice == 12) {
            const Case fresh = draw_case(space, e, r);
            c.eps = fresh.eps;
        } else if (dice == 13) {
            Case fresh = draw_case(space, e, r);
            if (fresh.d == c.d) c.ld = fresh.ld, c.yld = fresh.yld, c.col = fresh.col, c.offset = fresh.offset, c.threads = fresh.threads;
        } else if (dice == 14 && k.gain != Gain::none) {
            c.w_program = {};
            c.gain = gain_rules()[index(gain_rules().size(), r)].name;
            if (!space.probes && c.gain == "master") c.gain = "coded";
        } else if (dice == 15) {
            c.tokens = draw_rows(space, c.d, r);
        }
    }
    return c;
}

}  // namespace ulpgate::fuzzing
