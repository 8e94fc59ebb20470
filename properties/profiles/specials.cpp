#include <algorithm>
#include <array>
#include <limits>

#include "properties/profiles/build.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::profiles {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

struct Row {
    std::span<float> x;
    Type type;
    Rng rng;

    void all(float v) { std::fill(x.begin(), x.end(), v); }
    void normal() {
        for (float& v : x) v = build::gauss(rng, 0);
    }
    std::size_t any() { return rng.below(static_cast<std::uint32_t>(x.size())); }
    float largest() const {
        return with_format(type, [](auto f) { return f.decode(f.max_word); });
    }
    float smallest() const {
        return with_format(type, [](auto f) { return f.decode(1); });
    }
    // A power of two whose square overflows f32; in fp16, which has none, the largest value.
    float square_overflows() const { return type == Type::fp16 ? largest() : 0x1p64f; }
    void subnormals() {
        const int p = precision(type);
        for (float& v : x)
            v = build::either_sign(rng, smallest() * static_cast<float>(1 + rng.below((1u << (p - 1)) - 1)));
    }
};

// One kind a row, cyclically. Rows beside a NaN row stay finite: a NaN must change no other row.
constexpr std::array<void (*)(Row&), 22> kinds{
    [](Row& r) { r.all(0.0f); },
    [](Row& r) { r.all(-0.0f); },
    [](Row& r) {
        r.normal();
        for (std::size_t j = 0; j < r.x.size(); j += 2) r.x[j] = j % 4 ? -0.0f : 0.0f;
    },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = nan;
    },
    [](Row& r) { r.normal(); },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = inf;
    },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = -inf;
    },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = -inf;
        r.x[r.any()] = inf;
    },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = inf;
        r.x[r.any()] = nan;
    },
    [](Row& r) { r.all(nan); },
    [](Row& r) { r.all(-inf); },
    [](Row& r) { r.subnormals(); },
    [](Row& r) {
        r.all(0.0f);
        r.x[r.any()] = r.smallest();
    },
    [](Row& r) { r.all(-r.smallest()); },
    [](Row& r) {
        r.subnormals();
        r.x[r.any()] = 1.0f;
    },
    [](Row& r) { r.all(r.largest()); },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = -r.largest();
    },
    [](Row& r) {
        r.normal();
        r.x[r.any()] = r.square_overflows();
    },
    [](Row& r) { r.all(r.square_overflows() * 0.5f); },  // each square fits f32, four of them do not
    [](Row& r) {
        r.all(0.0f);
        r.x[r.any()] = r.square_overflows() * 0.5f;
    },  // one does: the edge itself
    [](Row& r) {
        r.normal();
        for (std::size_t j = 1; j < r.x.size(); j += 2) r.x[j] = build::either_sign(r.rng, r.smallest());
    },
    [](Row& r) {
        r.all(0.0f);
        r.x[r.any()] = -1.0f;
    },
};

}  // namespace

PIECE(Profile, specials) = {"specials",
                            "zeros of both signs, NaN, infinities, subnormals, the largest values, squares "
                            "and sums that overflow f32",
                            [](const RowRequest& q, std::span<float> x) {
                                Row row{x, q.type, q.rng};
                                kinds[static_cast<std::size_t>(q.row) % kinds.size()](row);
                            },
                            nullptr,
                            false,
                            [](std::int64_t) { return static_cast<std::int64_t>(kinds.size()); },
                            "random"};

}  // namespace ulpgate::profiles
