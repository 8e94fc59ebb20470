#include "properties/profiles/gains.hpp"

#include <algorithm>
#include <array>

#include "properties/profiles/build.hpp"

namespace ulpgate {
namespace {

using build::scaled;

// 1 with sigma 1/4; one in 64 up to 16 times smaller or 4 times larger, one in 256 negative: as trained gains
// are.
void random(Rng r, Type, std::span<float> w) {
    for (float& v : w) {
        const std::uint64_t dice = r.next();
        const int k = dice % 64 ? 0 : static_cast<int>(dice >> 8 & 7) - 4;
        v = scaled(65536 + r.gauss() / 4, k - 16);
        if ((dice >> 16) % 256 == 0) v = -v;
    }
}

void tiny(Rng r, Type t, std::span<float> w) {
    const int emin = with_format(t, [](auto f) { return f.emin - f.mantissa_bits; });
    for (float& v : w) {
        const int k = std::max(emin, -140) + r.between(0, 8);
        v = scaled(1 + r.below(255), k);
    }
}

constexpr std::array<GainRule, 8> rules{{
    {"ones", "1: hides the order of the gain",
     [](Rng, Type, std::span<float> w) { std::fill(w.begin(), w.end(), 1.0f); }},
    {"pow2", "2^-3 to 2^3: exact, hides the order of the gain",
     [](Rng r, Type, std::span<float> w) {
         for (float& v : w) v = scaled(1, r.between(-3, 3));
     }},
    {"coded", "odd integers 3 to 31 over 8, neighbours and neighbouring blocks differ: shows a shifted index",
     [](Rng, Type, std::span<float> w) {
         for (std::size_t j = 0; j < w.size(); ++j)
             w[j] = static_cast<float>(3 + 2 * ((j * 4 + j / 15) % 15)) / 8;
     }},
    {"random", "about 1, some far from it, few negative: as trained gains are", random},
    {"tiny", "the type's smallest subnormals and normals: outputs underflow", tiny},
    {"negative", "-1/2 to -2",
     [](Rng r, Type, std::span<float> w) {
         for (float& v : w) v = -scaled(static_cast<double>(32768 + r.below(98305)), -16);
     }},
    {"one_plus", "about 0, as where the kernel adds 1: one in 8 small enough to vanish in a 16-bit 1 + w",
     [](Rng r, Type, std::span<float> w) {
         for (float& v : w) {
             const int k = r.below(8) ? -2 : -9;
             v = build::gauss(r, k);
         }
     }},
    {"master", "one value: the gain of the probe of the same name",
     [](Rng, Type t, std::span<float> w) { std::fill(w.begin(), w.end(), master_probe(t).w); }},
}};

}  // namespace

std::span<const GainRule> gain_rules() { return rules; }

const GainRule* find_gain_rule(std::string_view name) {
    for (const GainRule& r : rules)
        if (r.name == name) return &r;
    return nullptr;
}

MasterProbe master_probe(Type t) {
    return t == Type::fp16 ? MasterProbe{1.033203125f, 1.0302734375f} : MasterProbe{1.09375f, 1.5859375f};
}

}  // namespace ulpgate
