// For the judge's tests: cases, and kernels restated by plain f32 loops with one thing wrong at a time.
// Independent of reference/model, so that a mistake there cannot hide one here.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "properties/judge/judge.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::kit {

inline Claim claim(std::string_view text) {
    Claim c;
    if (const auto e = parse(text, c)) throw std::runtime_error(e->what);
    return c;
}

struct CaseSpec {
    Type type = Type::bf16;
    std::int64_t d = 512, rows = 8;
    std::uint64_t seed = 1;
    double scale = 1;  // of the rows: log-uniform in [scale / spread, scale * spread]
    int spread = 3;    // binary orders
    double eps = 1e-6;
    std::string contract;  // of the tensors; "" the type alone
    bool unit_gain = false;
};

inline Tensors make_case(const CaseSpec& s) {
    const Op& op = *find_op("q_a_layernorm");
    Sizes sizes;
    op.defaults(sizes);
    sizes[Dim::batch] = s.rows;
    sizes[Dim::tokens] = 1;
    sizes[Dim::d] = s.d;
    op.derive(sizes);
    Tensors t = lay_out(op, claim(s.contract.empty() ? std::string(name(s.type)) : s.contract)[0], sizes);
    t.eps = s.eps;
    std::uint64_t stream = 0;
    for (Tensor& a : t.all) {
        ++stream;
        if (!a.spec->input()) continue;
        std::vector<float> v(static_cast<std::size_t>(a.width()));
        for (std::int64_t i = 0; i < a.rows(); ++i) {
            Rng rng(s.seed, stream, static_cast<std::uint64_t>(i));
            const double scale =
                a.spec->name == "w" ? 1.0 : std::ldexp(s.scale, rng.between(-s.spread, s.spread)) / 65536;
            for (float& e : v) {
                if (a.spec->name == "w")
                    e = s.unit_gain ? 1.0f
                                    : static_cast<float>(0.5 + 1.5 * rng.below(1u << 20) / (1u << 20)) *
                                          (rng.below(8) ? 1.0f : -1.0f);
                else
                    e = static_cast<float>(scale * rng.gauss());
            }
            a.write_row(i, v);
        }
    }
    return t;
}

// A kernel. Every hook is one line of it.
struct Kernel {
    Type t = Type::bf16, y = Type::bf16;
    std::function<float(const std::vector<float>&)> sum = [](const std::vector<float>& x) {
        float s = 0;
        for (float v : x) s += v * v;
        return s;
    };
    std::function<float(float s, float d)> mean = [](float s, float d) { return s / d; };
    std::function<float(float ms, float eps)> with_eps = [](float ms, float eps) { return ms + eps; };
    std::function<float(float)> rsqrt = [](float v) {
        return static_cast<float>(1 / std::sqrt(static_cast<double>(v)));
    };
    std::function<float(float)> scale = [](float r) { return r; };
    std::function<float(Type, float)> cast = [](Type type, float v) { return round_to(type, v); };
    std::function<float(float r, std::size_t j, std::int64_t row)> at = [](float r, std::size_t,
                                                                           std::int64_t) { return r; };
    // x, W, r to y before the last cast; null: cast_first
    std::function<float(float x, float w, float r)> element;
    std::function<float(float w)> gain = [](float w) { return w; };
    bool norm_unrounded = false, var_unrounded = false;
};

inline float lanes(const std::vector<float>& x, std::size_t n, bool fma = false) {
    std::vector<float> a(n, 0.0f);
    for (std::size_t j = 0; j < x.size(); ++j)
        a[j % n] = fma ? std::fma(x[j], x[j], a[j % n]) : a[j % n] + x[j] * x[j];
    for (std::size_t h = n / 2; h; h /= 2)
        for (std::size_t j = 0; j < h; ++j) a[j] += a[j + h];
    return a[0];
}
inline float pairwise(const float* x, std::size_t n) {
    if (n == 1) return *x * *x;
    return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

inline Outcome run(const Tensors& t, const Kernel& k) {
    Outcome o;
    o.out.resize(t.all.size());
    const Tensor &in = *t.find("x"), *gain = t.find("w"), *res = t.find("residual");
    const auto d = static_cast<std::size_t>(in.width());
    std::vector<float> x(d), w(d, 1.0f), r(d), rounded(d), unrounded(d), y(d);
    if (gain) gain->read_row(0, w);
    for (std::size_t i = 0; i < t.all.size(); ++i)
        if (!t.all[i].spec->input())
            o.out[i].resize(static_cast<std::size_t>(t.all[i].count() * bytes(t.all[i].type)));
    for (std::int64_t row = 0; row < in.rows(); ++row) {
        in.read_row(row, x);
        if (res) res->read_row(row, r);
        for (std::size_t j = 0; j < d; ++j) {
            unrounded[j] = res ? x[j] + r[j] : x[j];
            rounded[j] = res ? round_to(res->type, unrounded[j]) : x[j];
        }
        const float s = k.sum(k.var_unrounded ? unrounded : rounded);
        const float rstd =
            k.scale(k.rsqrt(k.with_eps(k.mean(s, static_cast<float>(d)), static_cast<float>(t.eps))));
        for (std::size_t j = 0; j < d; ++j) {
            const float v = k.norm_unrounded ? unrounded[j] : rounded[j], W = k.gain(w[j]),
                        rj = k.at(rstd, j, row);
            y[j] = k.cast(k.y, k.element ? k.element(v, W, rj) : W * k.cast(k.t, v * rj));
        }
        for (std::size_t i = 0; i < t.all.size(); ++i) {
            const Tensor& a = t.all[i];
            if (a.spec->input()) continue;
            pack(a.type, a.spec->name == "y" ? y : rounded,
                 o.out[i].data() + row * a.width() * bytes(a.type));
        }
    }
    return o;
}

inline std::vector<std::byte>& y_of(const Tensors& t, Outcome& o) {
    for (std::size_t i = 0; i < t.all.size(); ++i)
        if (t.all[i].spec->name == "y") return o.out[i];
    throw std::runtime_error("no y");
}
inline std::uint32_t get(const Tensors& t, Outcome& o, std::int64_t row, std::int64_t col) {
    const Tensor& y = *t.find("y");
    std::uint32_t w = 0;
    std::memcpy(&w, y_of(t, o).data() + (row * y.width() + col) * bytes(y.type),
                static_cast<std::size_t>(bytes(y.type)));
    return w;
}
inline void put(const Tensors& t, Outcome& o, std::int64_t row, std::int64_t col, std::uint32_t w) {
    const Tensor& y = *t.find("y");
    std::memcpy(y_of(t, o).data() + (row * y.width() + col) * bytes(y.type), &w,
                static_cast<std::size_t>(bytes(y.type)));
}

inline Kernel kernel(Type t) {
    Kernel k;
    k.t = k.y = t;
    return k;
}

}  // namespace ulpgate::kit
