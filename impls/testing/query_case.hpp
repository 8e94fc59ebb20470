// One call of an mla_query or head entry, held bit for bit to a restatement in the plainest C++: sums in `lanes` lanes by FMA,
// each rounding by reference/formats. It shares no line with the kernels.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "impls/subject/direct.hpp"
#include "impls/testing/restated.hpp"
#include "reference/base/rng.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate::testing {

struct QueryShape {
    std::int64_t batch = 1, tokens = 2, hidden = 64, rank = 16, heads = 2, nope = 8, rope = 4, out = 40;
    std::int64_t h_gap = 0, w_gap = 0;  // elements between rows of the tokens and of the matrices
    std::uint32_t threads = 1;
    std::uint64_t seed = 1;

    std::string text() const {
        std::string s;
        for (const std::int64_t v : {batch, tokens, hidden, rank, heads, nope, rope, out, h_gap, w_gap}) s += std::to_string(v) + " ";
        return s + "threads " + std::to_string(threads);
    }
};

inline void stride_rows(Tensor& t, std::int64_t gap) {
    if (t.count() == 0) return;
    const auto last = static_cast<std::size_t>(t.rank - 1);
    for (std::size_t k = last; k-- > 0;) t.stride[k] = k + 1 == last ? t.size[last] + gap : t.stride[k + 1] * t.size[k + 1];
    t.storage.assign(static_cast<std::size_t>(t.extent() * bytes(t.type)), std::byte{0x3c});
}

// Tokens near Gaussian, of any magnitude, with an infinity, with a NaN: by turns. Weights near Gaussian, a scale a block.
inline Tensors filled(const Op& op, const Contract& c, const QueryShape& s) {
    Sizes z;
    op.defaults(z);
    z[Dim::batch] = s.batch, z[Dim::tokens] = s.tokens, z[Dim::hidden] = s.hidden;
    z[Dim::q_rank] = s.rank, z[Dim::heads] = s.heads, z[Dim::nope] = s.nope, z[Dim::rope] = s.rope, z[Dim::b_out] = s.out;
    op.derive(z);
    Tensors t = lay_out(op, c, z);
    t.threads = s.threads;
    for (Tensor& v : t.all) {
        if (!v.spec->input() || v.count() == 0) continue;
        const bool token = v.spec->name == "h" || v.spec->name == "x";
        if (token && s.h_gap) stride_rows(v, s.h_gap);
        if (v.spec->dir == Dir::weight && s.w_gap) stride_rows(v, s.w_gap);
        std::vector<float> row(static_cast<std::size_t>(v.width()));
        for (std::int64_t i = 0; i < v.rows(); ++i) {
            Rng rng(s.seed, static_cast<std::uint64_t>(v.spec - op.tensors.data()), static_cast<std::uint64_t>(i));
            for (float& f : row) {
                f = static_cast<float>(rng.gauss()) * 0x1p-16f;
                if (token && i % 4 == 1) f = std::ldexp(f, -rng.between(0, 14));
                if (v.type == Type::e4m3) f = std::ldexp(f, 4);
            }
            if (token && i % 8 == 3) row[rng.below(static_cast<std::uint32_t>(row.size()))] = INFINITY;
            if (token && i % 8 == 6) row[rng.below(static_cast<std::uint32_t>(row.size()))] = NAN;
            v.write_row(i, row);
        }
    }
    return t;
}

inline std::vector<float> row_of(const Tensors& t, std::string_view name, std::int64_t row) {
    const Tensor* v = t.find(name);
    std::vector<float> out(v ? static_cast<std::size_t>(v->width()) : 0);
    if (!out.empty()) v->read_row(row, out);
    return out;
}

// The sums over K of one token with every row of a matrix.
inline std::vector<float> projected(const Tensors& t, const std::string& w, const std::vector<float>& x, int lanes) {
    const Tensor& m = *t.find(w);
    const Tensor* scale = t.find(w + "_scale");
    std::vector<float> out;
    for (std::int64_t o = 0; o < m.rows(); ++o) {
        const std::vector<float> row = row_of(t, w, o);
        std::vector<float> s(static_cast<std::size_t>(lanes), 0.0f);
        for (std::size_t k = 0; k < x.size(); ++k) {
            float v = row[k];
            if (scale) v *= scale->value(o / 128 * scale->width() + static_cast<std::int64_t>(k) / 128);
            s[k % s.size()] = std::fma(x[k], v, s[k % s.size()]);
        }
        for (std::size_t half = s.size() / 2; half; half /= 2)
            for (std::size_t i = 0; i < half; ++i) s[i] += s[i + half];
        out.push_back(s[0]);
    }
    return out;
}

using Outputs = std::vector<std::pair<std::string, std::vector<std::uint32_t>>>;  // by name, row-major

// Every output of a token.
inline Outputs restated_token(const Tensors& t, std::int64_t token, int lanes) {
    const Contract& c = t.contract;
    const auto words = [&](Type to, const std::vector<float>& v) {
        std::vector<std::uint32_t> w;
        for (const float f : v) w.push_back(encode(to, f));
        return w;
    };
    if (t.op->abi == Abi::linear) {
        auto y = projected(t, "w", row_of(t, "x", token), lanes);
        if (c.logits == Logits::t_then_f32)
            for (float& f : y) f = round_to(c.x, f);
        return {{"y", words(Type::f32, y)}};
    }
    std::vector<float> z = row_of(t, "h", token);
    Outputs out;
    if (t.sizes[Dim::q_rank]) {
        std::vector<float> a = projected(t, "a", z, lanes);
        const auto bias = row_of(t, "a_bias", 0);
        for (std::size_t k = 0; k < a.size(); ++k) {
            if (c.bias == Bias::before) a[k] += bias[k];
            a[k] = round_to(c.x, a[k]);
            if (c.bias == Bias::after) a[k] = round_to(c.x, a[k] + bias[k]);
        }
        const auto normed = restated(c, {lanes, 4, true}, words(c.x, a), words(c.x, row_of(t, "q_gain", 0)), {}, t.eps).y;
        out = {{"tap_a", words(c.x, a)}, {"tap_norm", normed}};
        for (std::size_t k = 0; k < a.size(); ++k) a[k] = decode(c.x, normed[k]);
        z = a;
    }
    out.emplace_back("tap_q_b", words(c.x, projected(t, "q_b", z, lanes)));
    return out;
}

inline std::uint32_t word_at(const Tensor& v, const void* data, std::int64_t logical) {
    std::uint32_t w = 0;
    std::memcpy(&w, static_cast<const char*>(data) + v.at(logical) * bytes(v.type), static_cast<std::size_t>(bytes(v.type)));
    return w;
}

// Whether the call's outputs equal the restatement in every bit; a failure says where.
inline ::testing::AssertionResult equals_restated(DirectKernel& kernel, std::size_t entry, const Op& op, const Contract& c, int lanes, const QueryShape& s) {
    const Tensors t = filled(op, c, s);
    kernel.prepare(entry, t);
    const auto fail = [&](const std::string& what) { return ::testing::AssertionFailure() << print(c) << ", " << s.text() << ": " << what; };
    if (const int status = kernel.call(); status != 0) return fail("returned " + std::to_string(status));
    const std::int64_t T = s.tokens, H = s.heads, N = s.nope, R = s.rope, D = N + R;
    for (std::int64_t token = 0; token < s.batch * T; ++token)
        for (const auto& [name, right] : restated_token(t, token, lanes)) {
            const auto n = static_cast<std::int64_t>(right.size());
            const auto differs = [&](const char* which, std::int64_t at, std::int64_t k) -> std::string {
                const Tensor* v = t.find(which);
                if (!v || v->count() == 0) return "";
                const std::uint32_t got = word_at(*v, kernel.data(which), at), want = right[static_cast<std::size_t>(k)];
                char text[96];
                std::snprintf(text, sizeof text, "%s token %ld, %ld: right %x, got %x", which, long(token), long(k), want, got);
                return same(v->type, want, got) ? "" : text;
            };
            for (std::int64_t k = 0; k < n; ++k) {
                if (const auto bad = differs(name.c_str(), token * n + k, k); !bad.empty()) return fail(bad);
                if (name != "tap_q_b") continue;
                const std::int64_t at = ((token / T * H + k / D) * T + token % T), j = k % D;
                if (const auto bad = j < N ? differs("q_nope", at * N + j, k) : differs("q_pe", at * R + j - N, k); !bad.empty()) return fail(bad);
            }
        }
    return ::testing::AssertionSuccess();
}

}  // namespace ulpgate::testing
