// A family of inputs of mla_query and head: the token, the rows of both matrices, gain and bias. A row depends on (seed, row)
// only. Integers, exact scaling and basic IEEE operations, so that a seed means the same tensors everywhere.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "properties/profiles/build.hpp"
#include "reference/base/piece.hpp"

namespace ulpgate {

struct QueryRequest {
    Type type;  // of this tensor; values are rounded to it
    std::int64_t hidden, rank, tokens;
};

struct QueryProfile {
    std::string_view name, what;
    void (*token)(Rng, const QueryRequest&, std::int64_t token, std::span<float>);
    void (*first)(Rng, const QueryRequest&, std::int64_t row, std::span<float>);   // q_a_proj, or q_proj without a rank
    void (*second)(Rng, const QueryRequest&, std::int64_t row, std::span<float>);  // q_b_proj, or the head
    void (*gain)(Rng, const QueryRequest&, std::span<float>);
    void (*bias)(Rng, const QueryRequest&, std::span<float>);
    bool pins;   // outputs are pinned from end to end: no sum depends on the order
    bool whole;  // in a default gate on the model's shape too
};

namespace query_profiles {
std::span<const QueryProfile* const> all();

// Uniform in (-2^k, 2^k), 16 bits: four a draw, for matrices of tens of millions.
inline void uniform(Rng& r, int k, std::span<float> v) {
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (i % 4 == 0) draw = r.next();
        v[i] = build::scaled(static_cast<std::int16_t>(draw) + 0.5, k - 15);
        draw >>= 16;
    }
}
// Near 1, no two alike in a 16-bit type's neighbourhood for long.
inline void gains(Rng r, const QueryRequest&, std::span<float> v) {
    for (float& f : v) f = 1 + build::scaled(static_cast<double>(static_cast<std::int16_t>(r.next())), -17);
}
inline void small_bias(Rng r, const QueryRequest&, std::span<float> v) { uniform(r, 0, v); }
// Half the exponent of the sum over n terms of size 1.
inline int spread(std::int64_t n) { return build::ceil_log2(static_cast<std::uint64_t>(n)) / 2; }

inline void dense(Rng r, const QueryRequest&, std::int64_t, std::span<float> v) {
    uniform(r, -spread(static_cast<std::int64_t>(v.size())), v);
}
// n entries of a row, signs and powers of two, in random places: their sum needs n - 1 additions.
inline void sparse(Rng& r, std::size_t n, std::span<float> v) {
    for (float& f : v) f = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = r.below(static_cast<std::uint32_t>(v.size()));
        v[at] = build::either_sign(r, build::scaled(1, static_cast<int>(i % 3)));
    }
}
}  // namespace query_profiles
const QueryProfile* find_query_profile(std::string_view name);

}  // namespace ulpgate
