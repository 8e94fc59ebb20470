#include "properties/long_check/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "properties/profiles/profile.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::long_check {
namespace {

template <class T, std::size_t N>
const T& pick(Rng& g, const std::array<T, N>& list) {
    return list[g.below(static_cast<std::uint32_t>(N))];
}

// The f32 value farthest from `exact` that is within k ulps of it, above or below.
float at_the_edge(double exact, int k, bool above) {
    const auto nearest = static_cast<float>(exact);
    if (!(exact > 0) || std::isinf(nearest) || nearest == 0) return nearest;
    const double ulp = std::ldexp(1.0, std::max(std::ilogb(exact) - 23, -149));
    float r = nearest;
    for (;;) {
        const float next = std::nextafter(r, above ? std::numeric_limits<float>::infinity() : 0.0f);
        if (std::isinf(next) || std::fabs(static_cast<double>(next) - exact) > k * ulp) return r;
        r = next;
    }
}
template <int k, bool above>
float rsqrt_at_edge(float v, const Moments&, double) {
    return at_the_edge(1 / std::sqrt(static_cast<double>(v)), k, above);
}
template <int k, bool above>
float root_at_edge(float v, const Moments&, double) {
    return at_the_edge(std::sqrt(static_cast<double>(v)), k, above);
}
using Root = float (*)(float, const Moments&, double);
template <bool above>
constexpr std::array<Root, 6> rsqrt_edges{rsqrt_at_edge<0, above>, rsqrt_at_edge<1, above>, rsqrt_at_edge<2, above>,
                                          rsqrt_at_edge<3, above>, rsqrt_at_edge<4, above>, rsqrt_at_edge<5, above>};
template <bool above>
constexpr std::array<Root, 6> root_edges{root_at_edge<0, above>, root_at_edge<1, above>, root_at_edge<2, above>,
                                         root_at_edge<3, above>, root_at_edge<4, above>, root_at_edge<5, above>};

// A tree that follows from the row: any two partial sums meet next. Squares and sums below 2^-126 are 0 where the claim has
// ftz=sum.
float random_tree(const Model& m, std::span<const float> x) {
    const float least = m.contract.ftz == "sum" ? std::numeric_limits<float>::min() : 0;
    const auto flushed = [least](float v) { return v < least ? 0.0f : v; };
    Rng g(x.size(), 3, x.empty() ? 0 : std::bit_cast<std::uint32_t>(x[0]));
    std::vector<float> part(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) part[j] = flushed(x[j] * x[j]);
    const bool late = g.below(2);  // pairs from the whole row, or near its end: wide or deep
    while (part.size() > 1) {
        const auto n = static_cast<std::uint32_t>(part.size()), reach = late ? std::min(n, 4u) : n;
        std::swap(part[n - 1 - g.below(reach)], part[n - 1]);
        float& sum = part[n - 2 - g.below(std::min(reach, n - 1))];
        sum = flushed(sum + part[n - 1]);
        part.pop_back();
    }
    return part.empty() ? 0 : part[0];
}
float eps_from_f64(const Moments& m, double eps) { return static_cast<float>(static_cast<double>(m.ms) + eps); }

std::int64_t width(Rng& g) {
    constexpr std::array<std::int64_t, 4> own{512, 1536, 7168, 7169};
    constexpr std::array<std::int64_t, 24> edges{1,  2,  3,  4,   5,   7,   8,   9,   15,  16,   17,   31,
                                                 32, 33, 63, 127, 128, 129, 511, 513, 768, 1535, 1537, 7167};
    switch (g.below(4)) {
        case 0:
            return pick(g, edges);
        case 1:
            return g.between(1, 7169);
        default:
            return pick(g, own);
    }
}

struct Claimed {
    std::string text;  // of the contract, less the type
    bool wide = false, divides = false, f32_gain = false, recip = false, any_mean = false, flushes = false;
    std::string order;
    int k = 2;
};

std::string named_order(Rng& g) {
    constexpr std::array<std::string_view, 16> list{
        "sequential", "pairwise",    "pairwise:8",  "lanes",        "lanes:16x2",     "lanes:4x1", "lanes:64x1",  "masked",
        "masked:8x4", "cuda_block",  "cuda_block:1024x8", "cuda_block:128x4", "butterfly", "butterfly:32x8", "aten_cascade",
        "aten_cascade:16"};
    return std::string(pick(g, list));
}

Claimed any_claim(Rng& g, std::string_view type, std::int64_t d) {
    Claimed c;
    c.f32_gain = g.below(2);
    c.text = c.f32_gain ? "f32_gain" : "cast_first";
    if (g.below(6) == 0) c.text += g.below(2) ? ",w=f32" : ",w=bf16";
    if (c.f32_gain && g.below(2)) c.text += fmt::format(",assoc={}", pick(g, std::array{"xr_w", "x_rw", "xw_r"}));
    if ((c.divides = g.below(4) == 0)) c.text += ",by=div";
    if (g.below(6) == 0) c.text += g.below(2) ? ",gain=one_plus" : ",gain=one_plus_t";
    if (g.below(8) == 0)
        c.text += fmt::format(",residual={}", pick(g, std::array{"rounded", "unrounded", "var_unrounded", "norm_unrounded"}));
    if (g.below(3) == 0) c.text += ",order=" + (c.order = named_order(g));
    c.recip = g.below(2);
    if ((c.any_mean = g.below(2)) == false) c.text += c.recip ? ",mean=recip" : ",mean=div";
    if ((c.wide = g.below(4) == 0)) c.text += g.below(2) ? ",acc=f64" : ",acc=f64,sq=f64";
    else if (type == "f32" && g.below(4) == 0) c.text += ",sq=t,acc=t";
    if ((c.flushes = !c.wide && g.below(4) == 0)) c.text += ",ftz=sum";
    if (g.below(4) == 0) c.text += fmt::format(",stat_width={}", g.between(1, static_cast<int>(d)));
    c.k = g.between(0, 5);
    if (c.k != 2) c.text += fmt::format(",rsqrt={}", c.k);
    return c;
}

// The text of a model that restates the claim with its open choices taken, and what no text says.
void make_model(Rng& g, const Claimed& c, std::string_view type, Task& t) {
    std::string text = fmt::format("{},{}", type, c.text);
    if (c.f32_gain && c.text.find("assoc=") == std::string::npos)
        text += fmt::format(",assoc={}", pick(g, std::array{"xr_w", "x_rw", "xw_r"}));
    const bool tree = c.order.empty() && !c.wide && (c.flushes || g.below(3) == 0);
    if (c.order.empty()) text += ",order=" + named_order(g);
    if (c.any_mean) text += c.recip ? ",mean=recip" : ",mean=div";
    if (!c.wide && c.text.find("acc=t") == c.text.npos && g.below(2)) text += ",fma";
    if (c.wide && !c.recip && g.below(2)) text += ",mean_in=f64";
    const auto form = g.below(3);
    if (form == 2 && !c.divides && c.k >= 2) text += ",rsqrt_form=recip_sqrt";
    if (const auto bad = parse(text, t.subject)) throw std::runtime_error(text + ": " + bad->what);
    t.model = text;
    if (form < 2) {
        const auto k = static_cast<std::size_t>(c.k);
        if (c.divides) t.subject.root = form ? root_edges<true>[k] : root_edges<false>[k];
        else t.subject.rsqrt = form ? rsqrt_edges<true>[k] : rsqrt_edges<false>[k];
        t.model += fmt::format(" (root {} ulp {})", c.k, form ? "above" : "below");
    }
    if (tree) t.subject.sum = random_tree, t.model += " (random tree)";
    if (g.below(2)) t.subject.with_eps = eps_from_f64, t.subject.parameters[static_cast<std::size_t>(Stage::eps)].p = t.input.eps, t.model += " (eps in f64)";
}

}  // namespace

Task draw(std::uint64_t index) {
    Rng g(1, 0x10c, index);
    Task t;
    const Profile& p = *profiles::all()[g.below(static_cast<std::uint32_t>(profiles::all().size()))];
    const std::string_view type = pick(g, std::array{"bf16", "fp16", "f32"});
    const std::int64_t d = width(g);
    const Claimed c = any_claim(g, type, d);
    const std::int64_t rows = std::clamp<std::int64_t>(65536 / d, 4, 64);
    t.line = fmt::format("q_a_layernorm/{}/{}/contract={}/profile={}/rows={}/seed={}", type, d, c.text, p.name, rows, index);
    if (const auto bad = parse(t.line, t.input)) throw std::runtime_error(t.line + ": " + bad->what);
    t.input.eps = pick(g, std::array{1e-6, 1e-6, 1e-6, 1e-6, static_cast<double>(1e-6f), 1e-5, 0.0, 0x1p-149, 1e-12, 0.5});
    make_model(g, c, type, t);
    t.line = print(t.input);
    return t;
}

}  // namespace ulpgate::long_check
