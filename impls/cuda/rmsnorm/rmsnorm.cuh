// RMSNorm on CUDA: y = Y(w * T(z * r)) (cast_first) or Y((z * r) * w) (f32_gain), r = 1 / sqrt(mean(z*z) + eps).
//
//   z    x, or T(x + residual), which is also stored
//   sum  thread t takes the vectors of 16 bytes t, t + threads, ... in order, their elements in order, by fused multiply-add;
//        a warp's 32 partials by a halving shuffle (16, 8, 4, 2, 1), then one warp the warps' sums the same way
//   r    two correctly rounded operations after a correctly rounded division: every product, sum and root names its
//        rounding, so no compiler flag and no contraction changes a bit
//
// Any d, any row stride, any alignment: a row whose x, w and y (and residuals) all start at 16 bytes moves in vectors, any
// other one element by element *in the same order*, so that the address changes no bit. Rows are taken grid-stride.
#pragma once
#include "element.cuh"

enum class Map { cast_first, f32_gain };

struct Arguments {
    const void *x, *w, *residual;
    void *y, *residual_out;
    long long x_row, y_row, residual_row, residual_out_row;  // strides in elements
    long long rows;
    int d;
    float eps;
};

// The whole warp must call.
__device__ inline float warp_sum(float v) {
    for (int lane = 16; lane; lane /= 2) v = __fadd_rn(v, __shfl_xor_sync(0xffffffffu, v, lane));
    return v;
}

template <class T, Map map, bool has_residual>
struct Row {
    using S = typename T::Storage;
    const S *x, *w, *residual;
    S *y, *residual_out;
    int d;

    __device__ Row(const Arguments& a, long long row)
        : x(static_cast<const S*>(a.x) + row * a.x_row), w(static_cast<const S*>(a.w)), residual(nullptr),
          y(static_cast<S*>(a.y) + row * a.y_row), residual_out(nullptr), d(a.d) {
        if (has_residual) {
            residual = static_cast<const S*>(a.residual) + row * a.residual_row;
            residual_out = static_cast<S*>(a.residual_out) + row * a.residual_out_row;
        }
    }
    __device__ bool aligned() const {
        return vector_aligned<T>(x) && vector_aligned<T>(w) && vector_aligned<T>(y) &&
               (!has_residual || (vector_aligned<T>(residual) && vector_aligned<T>(residual_out)));
    }
    __device__ static S sum(S x, S residual) { return T::store(__fadd_rn(T::load(x), T::load(residual))); }
    __device__ static S output(S z, S w, float r) {
        const float n = __fmul_rn(T::load(z), r);
        return T::store(__fmul_rn(map == Map::cast_first ? T::load(T::store(n)) : n, T::load(w)));
    }

    // Sum of squares of this thread's vectors. A residual sum is stored on the way and read back by the second pass.
    __device__ float squares(int thread, int threads, bool vectors) const {
        constexpr int n = Vector<T>::size;
        float s = 0.0f;
        for (int j = thread * n; j < d; j += threads * n) {
            if (vectors && j + n <= d) {
                auto v = Vector<T>::load(x + j);
                if (has_residual) {
                    const auto other = Vector<T>::load(residual + j);
#pragma unroll
                    for (int k = 0; k < n; ++k) v.at[k] = sum(v.at[k], other.at[k]);
                    v.store(residual_out + j);
                }
#pragma unroll
                for (int k = 0; k < n; ++k) s = __fmaf_rn(T::load(v.at[k]), T::load(v.at[k]), s);
            } else {
#pragma unroll 1
                for (int k = j; k < min(j + n, d); ++k) {
                    S z = x[k];
                    if (has_residual) residual_out[k] = z = sum(z, residual[k]);
                    s = __fmaf_rn(T::load(z), T::load(z), s);
                }
            }
        }
        return s;
    }

    __device__ void write(int thread, int threads, bool vectors, float r) const {
        constexpr int n = Vector<T>::size;
        const S* z = has_residual ? residual_out : x;
        for (int j = thread * n; j < d; j += threads * n) {
            if (vectors && j + n <= d) {
                auto v = Vector<T>::load(z + j);
                const auto g = Vector<T>::load(w + j);
#pragma unroll
                for (int k = 0; k < n; ++k) v.at[k] = output(v.at[k], g.at[k], r);
                v.store(y + j);
            } else {
#pragma unroll 1
                for (int k = j; k < min(j + n, d); ++k) y[k] = output(z[k], w[k], r);
            }
        }
    }
};

__device__ inline float reciprocal_rms(float sum, int d, float eps) {
    return __frcp_rn(__fsqrt_rn(__fadd_rn(__fdiv_rn(sum, __int2float_rn(d)), eps)));
}

// A block a row: blockDim.x a multiple of 32, at most 1024.
template <class T, Map map, bool has_residual>
__device__ void block_row(const Arguments& a) {
    __shared__ float sums[32];
    const int thread = threadIdx.x, threads = blockDim.x, lane = thread % 32, warp = thread / 32, warps = threads / 32;
    for (long long row = blockIdx.x; row < a.rows; row += gridDim.x) {
        const Row<T, map, has_residual> r(a, row);
        const bool vectors = r.aligned();
        float s = warp_sum(r.squares(thread, threads, vectors));
        if (lane == 0) sums[warp] = s;
        __syncthreads();
        s = warp_sum(lane < warps ? sums[lane] : 0.0f);
        r.write(thread, threads, vectors, reciprocal_rms(s, a.d, a.eps));
        __syncthreads();  // sums is free for the next row
    }
}

// A warp a row: for short rows. blockDim.x a multiple of 32.
template <class T, Map map, bool has_residual>
__device__ void warp_row(const Arguments& a) {
    const int lane = threadIdx.x % 32;
    const long long warps = static_cast<long long>(gridDim.x) * (blockDim.x / 32);
    for (long long row = static_cast<long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; row < a.rows; row += warps) {
        const Row<T, map, has_residual> r(a, row);
        const bool vectors = r.aligned();
        const float s = warp_sum(r.squares(lane, 32, vectors));
        r.write(lane, 32, vectors, reciprocal_rms(s, a.d, a.eps));
    }
}
