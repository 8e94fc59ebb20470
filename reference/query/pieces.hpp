// What a fault changes in the query path; as it stands, nothing. One value serves the exact sets and the bit-exact restatement.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/ops/op.hpp"

namespace ulpgate {

struct Source {  // of an output: which token's row of q_b's output
    std::int64_t token, row;
};
struct BlockIndex {
    std::int64_t row, column;
};

struct QueryPieces {
    // Of q[token, head, j], j < nope + rope; token counts over batch and tokens. Null: {token, head (nope + rope) + j}.
    Source (*source)(const Sizes&, std::int64_t token, std::int64_t head, std::int64_t j) = nullptr;
    // The position of a token, of those given; token counts over batch and tokens. Null: its own.
    std::int64_t (*position)(const Sizes&, std::span<const std::int64_t> given, std::int64_t token) = nullptr;
    // Which scale a block is given, and what is made of it. Null: its own, as it is.
    BlockIndex (*block)(std::int64_t rows, std::int64_t columns, BlockIndex) = nullptr;
    float (*scale)(float) = nullptr;
    bool transposed = false;         // the matrix is read as [in, out]
    std::int64_t dropped = 0;        // columns at the end of K that no sum takes
    Type cast = Type::none;          // of the input, before the first projection
    bool norm = true;                // q_a_layernorm is there
    bool wide_norm = false;          // the latent norms take the mean square over the whole fused row
    bool half_pairs = false;         // k and rope/2 + k are rotated together
    bool norm_each_head = false;     // instead: q is normalised over each head, without gain
    bool norm_always = false;        // also where the rank is 0: h is normalised
    bool config_eps = false;         // the norm takes the config's eps
    bool folded_gain = false;        // T(w gain) in q_b instead of a gain in the norm
    bool low_sum = false;            // sums kept in T
    int splits = 1;                  // of K, each partial sum rounded to T
};

}  // namespace ulpgate
