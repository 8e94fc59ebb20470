#include "properties/cases/make_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "properties/cases/yarn.hpp"
#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate {
namespace {

std::uint64_t stream_of(const Tensors& t, const Tensor& v) {
    return static_cast<std::uint64_t>(v.spec - t.op->tensors.data()) + 1;
}

template <class Fill>
void fill_rows(Tensors& t, Tensor& v, std::uint64_t seed, Fill fill) {
    std::vector<float> row(static_cast<std::size_t>(v.width()));
    for (std::int64_t i = 0; i < v.rows(); ++i) {
        fill(Rng(seed, stream_of(t, v), static_cast<std::uint64_t>(i)), i, std::span(row));
        v.write_row(i, row);
    }
}

// Powers of two and their neighbours, other ones in every block.
void scales(Rng r, std::span<float> v) {
    for (float& s : v) s = std::bit_cast<float>(static_cast<std::uint32_t>(r.between(118, 124)) << 23 | static_cast<std::uint32_t>(r.next() >> 41));
}

void dense_rows(Rng r, std::span<float> row) { query_profiles::uniform(r, -query_profiles::spread(static_cast<std::int64_t>(row.size())), row); }

// Batch b goes on from past + b: ragged, as requests of one batch are.
void place(const Tensors& t, Tensor& positions, std::int64_t past) {
    const std::int64_t T = t.sizes[Dim::tokens];
    std::vector<std::int64_t> at(static_cast<std::size_t>(positions.count()));
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = past + static_cast<std::int64_t>(k) / T + static_cast<std::int64_t>(k) % T;
    std::memcpy(positions.storage.data(), at.data(), positions.storage.size());
}

// The rows that a token or a fault of positions reads hold angles; the many before them, in a long past, other numbers.
void fill_angles(const Tensors& t, Tensor& table) {
    const std::int64_t near = t.sizes[Dim::rows] + 2, places = table.rows();
    std::vector<float> row(static_cast<std::size_t>(table.width()));
    for (std::int64_t p = 0; p < places; ++p) {
        if (p < near || p + near >= places) yarn_angles(p, row);
        else std::fill(row.begin(), row.end(), 0.5f);
        table.write_row(p, row);
    }
}

// The elements between rows belong to someone else: finite numbers.
void fill_gaps(Tensor& t, Rng r) {
    const auto words = t.storage.size() / static_cast<std::size_t>(bytes(t.type));
    for (std::size_t k = 0; k < words; ++k) t.set_word(static_cast<std::int64_t>(k), encode(t.type, std::ldexp(r.gauss(), -16)));
}

}  // namespace

Sizes query_sizes(const Case& c) {
    const Op& op = *find_op(c.op);
    Sizes s;
    op.defaults(s);
    s[Dim::hidden] = c.d;
    s[Dim::batch] = c.batch;
    s[Dim::tokens] = c.tokens;
    if (c.rank >= 0) s[Dim::q_rank] = c.rank;
    if (c.kv) s[Dim::kv_rank] = c.kv;
    if (c.heads) s[Dim::heads] = c.heads;
    if (c.nope) s[Dim::nope] = c.nope;
    if (c.rope) s[Dim::rope] = c.rope;
    if (c.out) s[Dim::b_out] = c.out;
    if (c.claim[0].kv == Kv::fused) s[Dim::kv_out] = s[Dim::kv_rank] + s[Dim::rope];
    s[Dim::places] = c.past + c.batch - 1 + c.tokens;
    op.derive(s);
    return s;
}

Misfit query_misfit(const Case& c) {
    const bool query = find_op(c.op)->abi == Abi::mla_query;
    if (c.program.fill || c.w_program.fill || c.residual_program.fill) return {"fill", "written tensors are for the norms: give profile="};
    if (!c.file.empty()) return {"file", "activations from a file are for the norms: give profile="};
    if (!c.gain.empty()) return {"gain", "the gain goes with the profile here"};
    if (c.yld || c.col) return {c.yld ? "yld" : "col", "only h is strided here: ld="};
    if (c.ld && c.ld < c.d) return {"ld", fmt::format("a row stride of {} is below the {} columns that a row needs", c.ld, c.d)};
    if (!query && (c.rank >= 0 || c.kv || c.heads || c.nope || c.rope || c.past))
        return {c.rank >= 0 ? "rank" : c.kv ? "kv" : c.heads ? "heads" : c.nope ? "nope" : c.rope ? "rope" : "past", "head has no such size"};
    if (const Contract& k = c.claim[0]; query) {
        if (k.kv == Kv::fused && c.rank == 0) return {"rank", "kv=fused stands below a q_a_proj: give a rank"};
        if (k.rope != Rope::none && c.rope % 2) return {"rope", "pairs are rotated: an even number"};
        if (k.rope == Rope::none && c.past) return {"past", "positions are of a contract with rope="};
    }
    if (query && c.out) return {"out", "mla_query's width is heads * (nope + rope)"};
    if (c.batch > 1 << 20 || c.tokens > 1 << 20) return {c.batch == 1 ? "rows" : "bt", "at most 1048576 each"};
    const Sizes s = query_sizes(c);
    const std::int64_t rows = s[Dim::rows];
    if (c.row >= rows && c.row >= 0) return {"row", fmt::format("no row {}: the case has {}", c.row, rows)};
    const double all = static_cast<double>(s[Dim::a_out]) * static_cast<double>(c.d) + static_cast<double>(s[Dim::b_out]) * static_cast<double>(s[Dim::b_in]) +
                       static_cast<double>(rows) * static_cast<double>(std::max(c.ld, c.d) + 2 * s[Dim::b_out] + 2 * s[Dim::a_out] + s[Dim::heads] * s[Dim::absorbed]) +
                       static_cast<double>(s[Dim::places]) * static_cast<double>(s[Dim::rope]) + static_cast<double>(s[Dim::heads]) * static_cast<double>(s[Dim::kv_rank]) * static_cast<double>(s[Dim::nope]);
    if (4 * all > static_cast<double>(case_bytes))
        return {query ? "heads" : "out", fmt::format("its tensors are more than the {} bytes a case may take", case_bytes)};
    return {};
}

Made make_query(const Case& c) {
    Made m;
    Tensors& t = m.tensors;
    const QueryProfile& p = *find_query_profile(c.profile);
    t = lay_out(*find_op(c.op), c.claim[0], query_sizes(c));
    for (Tensor& v : t.all) {
        if (c.ld && (v.spec->name == "h" || v.spec->name == "x")) {  // gaps between tokens
            for (int k = v.rank - 2; k >= 0; --k)
                v.stride[static_cast<std::size_t>(k)] = k == v.rank - 2 ? c.ld : v.stride[static_cast<std::size_t>(k + 1)] * v.size[static_cast<std::size_t>(k + 1)];
            v.storage.resize(static_cast<std::size_t>(v.extent() * bytes(v.type)));
            fill_gaps(v, Rng(c.seed, 1000, 0));
        }
        if (!v.spec->input() || v.count() == 0) continue;
        const auto name = v.spec->name;
        if (name == "positions") {
            place(t, v, c.past);
            continue;
        }
        if (name == "cos_sin") {
            fill_angles(t, v);
            continue;
        }
        const QueryRequest request{v.type, t.sizes[Dim::hidden], t.sizes[Dim::q_rank], t.sizes[Dim::rows]};
        fill_rows(t, v, c.seed, [&](Rng r, std::int64_t i, std::span<float> row) {
            if (name == "h" || name == "x") p.token(r, request, i, row);
            else if (name == "a" || (name == "q_b" && !request.rank)) p.first(r, request, i, row);
            else if (name == "q_b" || name == "w") p.second(r, request, i, row);
            else if (name == "q_gain" || name == "kv_gain") p.gain(r, request, row);
            else if (name == "k_c") dense_rows(r, row);
            else if (name == "a_bias") p.bias(r, request, row);
            else scales(r, row);
        });
    }
    t.eps = c.eps;
    t.config_eps = 0x1p-7;  // another one than the latent's: a kernel that takes it shows
    t.offset = c.offset;
    t.threads = c.threads;
    return m;
}

}  // namespace ulpgate
