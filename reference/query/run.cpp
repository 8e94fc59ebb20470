#include <algorithm>
#include <cstring>

#include "reference/query/path.hpp"

namespace ulpgate {
namespace {

std::ptrdiff_t step(std::int64_t n) { return static_cast<std::ptrdiff_t>(n); }

std::span<const float> part(const std::vector<float>& v, std::int64_t from, std::int64_t n) {
    return std::span(v).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(n));
}

}  // namespace

Angle QueryPath::angle(std::int64_t token, std::int64_t pair) const {
    const Tensor& table = *t_.find("cos_sin");
    const std::int64_t rope = t_.sizes[Dim::rope], row = positions_[static_cast<std::size_t>(token)];
    return {table.value(row * rope + pair), table.value(row * rope + rope / 2 + pair)};
}

std::array<std::size_t, 2> QueryPath::pair_at(std::int64_t pair) const {
    const std::int64_t half = t_.sizes[Dim::rope] / 2;
    const auto at = [](std::int64_t k) { return static_cast<std::size_t>(k); };
    return model_.pieces.half_pairs ? std::array{at(pair), at(half + pair)} : std::array{at(2 * pair), at(2 * pair + 1)};
}

Ranges QueryPath::rope(std::int64_t token, const Ranges& q) const {
    const Contract& c = model_.contract;
    if (c.rope == Rope::none) return q;
    const std::int64_t N = t_.sizes[Dim::nope], R = t_.sizes[Dim::rope];
    Ranges out = q;
    for (std::int64_t pair = 0; pair < R / 2; ++pair) {
        const Angle v = angle(token, pair);
        const auto [i, k] = pair_at(pair);
        for (auto at = static_cast<std::size_t>(N); at < q.size(); at += static_cast<std::size_t>(N + R)) {
            const auto y = rotated(c.rope, c.x, q[at + i], q[at + k], v);
            out[at + i] = y[0];
            out[at + k] = y[1];
        }
    }
    return out;
}

Ranges QueryPath::k_input(std::int64_t token, const Ranges& a) const {
    const std::int64_t kv = t_.sizes[Dim::kv_rank], R = t_.sizes[Dim::rope];
    const Contract& c = model_.contract;
    if (c.kv == Kv::none) return {};
    Ranges out = norm_of(Ranges(a.begin() + step(rank_), a.begin() + step(rank_ + kv)), kv_gain_, a);
    Ranges pe(a.begin() + step(rank_ + kv), a.end());
    for (std::int64_t pair = 0; c.rope != Rope::none && pair < R / 2; ++pair) {
        const auto [i, k] = pair_at(pair);
        const auto y = rotated(c.rope, c.x, pe[i], pe[k], angle(token, pair));
        pe[i] = y[0];
        pe[k] = y[1];
    }
    out.insert(out.end(), pe.begin(), pe.end());
    return out;
}

Ranges QueryPath::absorbed(std::int64_t token, std::int64_t head, const std::vector<Ranges>& all) {
    const std::int64_t N = t_.sizes[Dim::nope], R = t_.sizes[Dim::rope], kv = t_.sizes[Dim::kv_rank];
    const auto from = [&](std::int64_t j) {
        const Source s = source(token, head, j);
        return all[static_cast<std::size_t>(s.token)][static_cast<std::size_t>(s.row)];
    };
    Ranges x, out;
    for (std::int64_t j = 0; j < N; ++j) x.push_back(from(j));
    project(*k_c_, absorb_, x, {}, absorbed_, &counts, head * kv, kv);
    for (const Projected& y : absorbed_) out.push_back(y.allowed);
    for (std::int64_t j = N; j < N + R; ++j) out.push_back(from(j));
    return out;
}

// v with the pairs behind column `at` of each stretch of `width` rotated.
std::vector<float> QueryPath::rope_once(std::int64_t token, std::vector<float> v, std::int64_t at, std::int64_t width) const {
    const Contract& c = model_.contract;
    if (c.rope == Rope::none) return v;
    for (std::int64_t pair = 0; pair < t_.sizes[Dim::rope] / 2; ++pair) {
        const Angle by = angle(token, pair);
        const auto [i, k] = pair_at(pair);
        for (auto from = static_cast<std::size_t>(at); from < v.size(); from += static_cast<std::size_t>(width)) {
            const auto y = rotated_once(c.rope, c.x, v[from + i], v[from + k], by);
            v[from + i] = y[0];
            v[from + k] = y[1];
        }
    }
    return v;
}

std::vector<std::vector<std::byte>> QueryPath::run() {
    const QueryPieces& p = model_.pieces;
    const bool head = t_.op->abi == Abi::linear;
    std::vector<std::vector<std::byte>> out(t_.all.size());
    const auto place = [&](std::string_view name) -> std::size_t {
        for (std::size_t k = 0; k < t_.all.size(); ++k)
            if (t_.all[k].spec->name == name) return k;
        return t_.all.size();
    };
    for (std::size_t k = 0; k < t_.all.size(); ++k)
        if (!t_.all[k].spec->input()) out[k].resize(static_cast<std::size_t>(t_.all[k].count() * bytes(t_.all[k].type)));
    const auto put = [&](std::string_view name, std::int64_t at, std::span<const float> v) {
        const std::size_t k = place(name);
        if (k < out.size() && !v.empty()) pack(t_.all[k].type, v, out[k].data() + at * bytes(t_.all[k].type));
    };
    const std::int64_t B = t_.sizes[Dim::batch], T = t_.sizes[Dim::tokens], H = t_.sizes[Dim::heads], N = t_.sizes[Dim::nope], R = t_.sizes[Dim::rope];
    const std::int64_t kv_rank = t_.sizes[Dim::kv_rank], kv_out = t_.sizes[Dim::kv_out], out_a = t_.sizes[Dim::a_out];
    std::vector<std::vector<float>> q;
    for (std::int64_t token = 0; token < tokens_; ++token) {
        std::vector<float> z = input(token);
        if (rank_) {
            std::vector<float> a(static_cast<std::size_t>(out_a));
            restate(*a_, first_, p, z, bias_, a);
            put("tap_a", token * out_a, a);
            const auto slice = part(a, 0, rank_);
            z = p.norm ? normalised(slice, p.folded_gain ? std::vector<float>(gain_.size(), 1.0f) : gain_, a) : std::vector<float>(slice.begin(), slice.end());
            put("tap_norm", token * rank_, z);
            if (kv_out) {
                const auto kv = normalised(part(a, rank_, kv_rank), kv_gain_, a);
                const auto pe = part(a, rank_ + kv_rank, R);
                put("k_input", token * (kv_rank + R), kv);
                put("k_input", token * (kv_rank + R) + kv_rank, rope_once(token, {pe.begin(), pe.end()}, 0, R));
            }
        } else if (p.norm_always) {
            z = normalised(z, std::vector<float>(z.size(), 1.0f), z);
        }
        std::vector<float> y(static_cast<std::size_t>(b_->rows()));
        restate(*b_, second_, p, z, {}, y);
        if (p.norm_each_head) {
            const auto n = static_cast<std::size_t>(t_.sizes[Dim::nope] + t_.sizes[Dim::rope]);
            for (std::size_t at = 0; at < y.size(); at += n) {
                const auto one = std::span<const float>(y).subspan(at, n);
                const auto normal = normalised(one, std::vector<float>(n, 1.0f), one);
                std::copy(normal.begin(), normal.end(), y.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        put("tap_q_b", token * static_cast<std::int64_t>(y.size()), y);
        if (head) put("y", token * static_cast<std::int64_t>(y.size()), y);
        q.push_back(head ? std::move(y) : rope_once(token, std::move(y), N, N + R));
    }
    if (head) return out;
    for (std::int64_t b = 0; b < B; ++b)
        for (std::int64_t h = 0; h < H; ++h)
            for (std::int64_t t = 0; t < T; ++t) {
                std::vector<float> own;
                for (std::int64_t j = 0; j < N + R; ++j) {
                    const Source s = source(b * T + t, h, j);
                    own.push_back(q[static_cast<std::size_t>(s.token)][static_cast<std::size_t>(s.row)]);
                }
                const std::int64_t at = (b * H + h) * T + t, into = ((b * T + t) * H + h) * (kv_rank + R);
                put("q_nope", at * N, part(own, 0, N));
                put("q_pe", at * R, part(own, N, R));
                if (!k_c_) continue;
                std::vector<float> y(static_cast<std::size_t>(kv_rank));
                restate(*k_c_, absorb_, p, part(own, 0, N), {}, y, h * kv_rank);
                put("q_absorbed", into, y);
                put("q_absorbed", into + kv_rank, part(own, N, R));
            }
    return out;
}

}  // namespace ulpgate
