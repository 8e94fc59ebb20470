// The one place that knows the fields of the ABI's argument structs.
#include "impls/subject/pack.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "reference/ops/query_tensors.hpp"

namespace ulpgate::child {
namespace {

ulpgate_tensor tensor(const Control& c, char* base, std::string_view name) {
    ulpgate_tensor t{};
    for (const Slot& s : c.slot) {
        if (name != s.name) continue;
        const Slot& memory = s.alias ? c.slot[s.alias - 1] : s;
        t.data = base + memory.at + memory.data;
        t.type = s.type;
        t.rank = s.rank;
        std::memcpy(t.size, s.size, sizeof t.size);
        std::memcpy(t.stride, s.stride, sizeof t.stride);
    }
    return t;
}

std::int64_t dim(const Control& c, Dim d) { return c.dims[static_cast<std::size_t>(d)]; }

// A tensor of size 0 in some dimension is absent; the size is kept.
ulpgate_tensor optional(const Control& c, char* base, std::string_view name) {
    ulpgate_tensor t = tensor(c, base, name);
    for (std::uint32_t k = 0; k < t.rank; ++k)
        if (t.size[k] == 0) t.data = nullptr;
    return t;
}

ulpgate_weight weight(const Control& c, char* base, const std::string& name) {
    ulpgate_weight w{};
    w.w = optional(c, base, name);
    w.bias = optional(c, base, name + "_bias");
    w.scale = optional(c, base, name + "_scale");
    if (w.scale.data) w.block[0] = w.block[1] = ops::scale_block;
    return w;
}

void begin(ulpgate_call& call, std::size_t size, const Control& c, const ulpgate_entry& e) {
    call.size = size;
    call.entry = &e;
    call.threads = c.threads;
}

void pack_norm(ulpgate_rmsnorm& a, const Control& c, char* base, const ulpgate_entry& e) {
    begin(a.call, sizeof a, c, e);
    a.rows = dim(c, Dim::rows);
    a.batch = dim(c, Dim::batch);
    a.tokens = dim(c, Dim::tokens);
    a.d = dim(c, Dim::d);
    a.d_stat = c.d_stat;
    a.eps = c.eps;
    a.x = tensor(c, base, "x");
    a.w = tensor(c, base, "w");
    a.y = tensor(c, base, "y");
    a.beta = tensor(c, base, "beta");
    a.residual = tensor(c, base, "residual");
    a.residual_out = tensor(c, base, "residual_out");
    a.rstd = tensor(c, base, "rstd");
    a.scale = tensor(c, base, "scale");
}

void pack_query(ulpgate_mla_query& a, const Control& c, char* base, const ulpgate_entry& e) {
    begin(a.call, sizeof a, c, e);
    a.batch = dim(c, Dim::batch);
    a.tokens = dim(c, Dim::tokens);
    a.hidden = dim(c, Dim::hidden);
    a.heads = dim(c, Dim::heads);
    a.q_rank = dim(c, Dim::q_rank);
    a.kv_rank = dim(c, Dim::kv_rank);
    a.nope = dim(c, Dim::nope);
    a.rope = dim(c, Dim::rope);
    a.config_eps = c.config_eps;
    a.latent_eps = c.eps;
    a.h = tensor(c, base, "h");
    a.a = weight(c, base, "a");
    a.q_gain = optional(c, base, "q_gain");
    a.q_b = weight(c, base, "q_b");
    a.kv_gain = optional(c, base, "kv_gain");
    a.k_c = optional(c, base, "k_c");
    a.positions = optional(c, base, "positions");
    a.cos_sin = optional(c, base, "cos_sin");
    a.q_absorbed = optional(c, base, "q_absorbed");
    a.k_input = optional(c, base, "k_input");
    a.q_nope = optional(c, base, "q_nope");
    a.q_pe = optional(c, base, "q_pe");
    a.tap_a = optional(c, base, "tap_a");
    a.tap_norm = optional(c, base, "tap_norm");
    a.tap_q_b = optional(c, base, "tap_q_b");
}

void pack_linear(ulpgate_linear& a, const Control& c, char* base, const ulpgate_entry& e) {
    begin(a.call, sizeof a, c, e);
    a.tokens = dim(c, Dim::rows);
    a.x = tensor(c, base, "x");
    a.w = weight(c, base, "w");
    a.y = tensor(c, base, "y");
}

}  // namespace

void pack(Arguments& args, const Control& c, char* base, const ulpgate_entry& e) {
    std::memset(&args, 0, sizeof args);
    if (e.mla_query)
        pack_query(args.query, c, base, e);
    else if (e.linear)
        pack_linear(args.linear, c, base, e);
    else
        pack_norm(args.rmsnorm, c, base, e);
}

int call(const Arguments& a, const ulpgate_entry& e) {
    return e.rmsnorm ? e.rmsnorm(&a.rmsnorm) : e.mla_query ? e.mla_query(&a.query) : e.linear(&a.linear);
}

}  // namespace ulpgate::child
