// The q_a_layernorm in the prologue of the q_b projection, for at most 8 tokens of a batch: q = T(norm(latent) q_b^T) in one launch.
//
// Why here, and why for few tokens alone. With a token or two (decoding) the path streams its weights once: 22 MB of q_a and
// 37.7 MB of q_b, 12.5 us at 4.8 TB/s, and the norm between them is a launch of 2 to 3 us for 3 KB: what it costs is its launch
// and its wait, not its bytes. A block of q_b reads the latent in any case, so that here it reads it twice (24 KB for 8 tokens,
// from L2) and nothing is written between the projections. But each of the 192 blocks (12,288 outputs by 64) norms again what
// others norm too: about 3 operations an element on 128 lanes, 36 cycles a token beside the 96 in which tensor cores multiply
// 64 x 1,536 by it. With many tokens that is a third more of everything, and the norm of its own (1/192 of that work) is cheaper.
// A sum of squares in the epilogue of q_a would save the second read, but joins blocks: in an order that atomics do not promise
// (a rerun would change bits), or through partials and one more wait. So: rows <= 8 here, more by norm and projection.
//
//   bits   those of the norm kernel followed by the projection, whatever the number of tokens: the sum's order is that of
//          block_row with min(1024, roundup(ceil(depth, 8), 32)) threads, whose warps a warp here takes one after the other;
//          each element is rounded to T twice (cast_first) before it is a factor
#pragma once
#include "../rmsnorm/rmsnorm.cuh"
#include "tensor_core.cuh"

template <class T>
class NormedTokens {
  public:
    using S = typename T::Storage;
    static constexpr int tiles = 1;

    // The whole block must call: it takes the root of each of its tokens.
    __device__ NormedTokens(const Projection& p, const void* gain, float eps) : p_(p), gain_(static_cast<const S*>(gain)) {
        const int lane = threadIdx.x % 32, threads = min(1024, (p.depth + 255) / 256 * 32);
#pragma unroll 1
        for (int t = threadIdx.x / 32; t < 8; t += 4) {
            const int token = blockIdx.y * 8 + t;
            if (token >= p.all_tokens) break;  // the whole warp
            const Normed row = row_of(token);
            const bool vectors = vector_aligned<T>(row.x);
            float mine = 0.0f;
#pragma unroll 1
            for (int warp = 0; warp < threads / 32; ++warp) {
                const float sum = warp_sum(row.squares(32 * warp + lane, threads, vectors));
                if (lane == warp) mine = sum;
            }
            const float r = reciprocal_rms(warp_sum(mine), p.depth, eps);
            if (lane == 0) roots()[t] = r;
        }
        __syncthreads();
    }

    // Columns [column, column + 64) of 8 tokens; zeros outside.
    __device__ void load(S* to, int first, int column) const {
        if (threadIdx.x >= 64) return;
        const int t = threadIdx.x / 8, k = column + threadIdx.x % 8 * 8;
        const int left = first + t < p_.all_tokens ? min(max(p_.depth - k, 0), 8) : 0;
        S* const place = to + t * row_pitch + threadIdx.x % 8 * 8;
        const S *const from = left ? row_of(first + t).x + k : nullptr, *const gain = gain_ + k;
        const float r = left ? roots()[t] : 0.0f;
        if (left == 8 && vector_aligned<T>(from) && vector_aligned<T>(gain)) {
            auto v = Vector<T>::load(from);
            const auto g = Vector<T>::load(gain);
#pragma unroll
            for (int e = 0; e < 8; ++e) v.at[e] = Normed::output(v.at[e], g.at[e], r);
            *reinterpret_cast<uint4*>(place) = make_uint4(T::word(v.at), T::word(v.at + 2), T::word(v.at + 4), T::word(v.at + 6));
        } else {
#pragma unroll 1
            for (int e = 0; e < 8; ++e) place[e] = e < left ? Normed::output(from[e], gain[e], r) : S(0.0f);
        }
    }

  private:
    using Normed = Row<T, Map::cast_first, false>;
    __device__ static float* roots() {
        __shared__ float of_token[8];
        return of_token;
    }
    __device__ Normed row_of(int token) const {
        Arguments a{};
        a.x = input<S>(p_) + token_at(p_, token);
        a.d = p_.depth;
        return Normed(a, 0);
    }
    const Projection& p_;
    const S* const gain_;
};
