// The query path's models behind the public ABI: tensors of a call as reference/ has them, run, written back.
#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "impls/ulpgate_kernel.h"
#include "reference/query_faults/query_fault.hpp"

namespace {

struct QueryKernel {
    ulpgate::QueryModel model;
    std::string claim;
};

using Named = std::vector<std::pair<std::string_view, const ulpgate_tensor*>>;

// Copies the strided elements of an input, in order.
bool take(const ulpgate_tensor& from, ulpgate::Tensor& to) {
    if (to.count() == 0) return true;
    if (!from.data || from.type != static_cast<std::uint32_t>(to.type) || from.rank != static_cast<std::uint32_t>(to.rank)) return false;
    for (std::size_t k = 0; k < from.rank; ++k)
        if (from.size[k] != to.size[k]) return false;
    ulpgate::Tensor view = to;
    for (std::size_t k = 0; k < from.rank; ++k) view.stride[k] = from.stride[k];
    const auto n = static_cast<std::size_t>(ulpgate::bytes(to.type));
    const auto* data = static_cast<const std::byte*>(from.data);
    if (view.stride == to.stride) {
        std::memcpy(to.storage.data(), data, to.storage.size());
        return true;
    }
    for (std::int64_t i = 0; i < to.count(); ++i)
        std::memcpy(to.storage.data() + static_cast<std::size_t>(to.at(i)) * n, data + static_cast<std::size_t>(view.at(i)) * n, n);
    return true;
}

void give(const std::vector<std::byte>& packed, const ulpgate_tensor& to, const ulpgate::Tensor& like) {
    if (!to.data) return;
    ulpgate::Tensor view = like;
    for (std::size_t k = 0; k < to.rank; ++k) view.stride[k] = to.stride[k];
    const auto n = static_cast<std::size_t>(ulpgate::bytes(like.type));
    auto* data = static_cast<std::byte*>(to.data);
    for (std::int64_t i = 0; i < like.count(); ++i) std::memcpy(data + static_cast<std::size_t>(view.at(i)) * n, packed.data() + static_cast<std::size_t>(i) * n, n);
}

int compute(const char* op, const ulpgate::Sizes& sizes, double eps, double config_eps, const Named& tensors, const ulpgate::QueryModel& model) {
    using namespace ulpgate;
    Sizes s = sizes;
    find_op(op)->derive(s);
    Tensors t = lay_out(*find_op(op), model.contract, s);
    t.eps = eps;
    t.config_eps = config_eps;
    const auto find = [&](std::string_view name) -> const ulpgate_tensor* {
        for (const auto& [n, p] : tensors)
            if (n == name) return p;
        return nullptr;
    };
    for (Tensor& v : t.all)
        if (v.spec->input() && (!find(v.spec->name) || !take(*find(v.spec->name), v))) return ULPGATE_BAD_ARGUMENT;
    QueryPath path(t, model);
    const auto out = path.run();
    for (std::size_t k = 0; k < t.all.size(); ++k)
        if (!t.all[k].spec->input()) give(out[k], *find(t.all[k].spec->name), t.all[k]);
    return ULPGATE_OK;
}

int model_query(const ulpgate_mla_query* a) {
    using ulpgate::Dim;
    try {
        ulpgate::Sizes s;
        s[Dim::batch] = a->batch;
        s[Dim::tokens] = a->tokens;
        s[Dim::hidden] = a->hidden;
        s[Dim::heads] = a->heads;
        s[Dim::q_rank] = a->q_rank;
        s[Dim::kv_rank] = a->kv_rank;
        s[Dim::nope] = a->nope;
        s[Dim::rope] = a->rope;
        s[Dim::kv_out] = a->a.w.data ? a->a.w.size[0] - a->q_rank : 0;
        s[Dim::places] = a->cos_sin.data ? a->cos_sin.size[0] : 0;
        const Named all{{"h", &a->h}, {"a", &a->a.w}, {"a_scale", &a->a.scale}, {"a_bias", &a->a.bias}, {"q_gain", &a->q_gain}, {"q_b", &a->q_b.w},
                        {"q_b_scale", &a->q_b.scale}, {"kv_gain", &a->kv_gain}, {"k_c", &a->k_c}, {"positions", &a->positions}, {"cos_sin", &a->cos_sin},
                        {"q_absorbed", &a->q_absorbed}, {"k_input", &a->k_input}, {"q_nope", &a->q_nope}, {"q_pe", &a->q_pe}, {"tap_a", &a->tap_a}, {"tap_norm", &a->tap_norm}, {"tap_q_b", &a->tap_q_b}};
        return compute("mla_query", s, a->latent_eps, a->config_eps, all, static_cast<const QueryKernel*>(a->call.entry->user)->model);
    } catch (...) {
        return ULPGATE_FAILED;
    }
}

int model_linear(const ulpgate_linear* a) {
    using ulpgate::Dim;
    try {
        ulpgate::Sizes s;
        s[Dim::batch] = 1;
        s[Dim::tokens] = a->tokens;
        s[Dim::hidden] = a->x.size[1];
        s[Dim::b_out] = a->w.w.size[0];
        const Named all{{"x", &a->x}, {"w", &a->w.w}, {"w_scale", &a->w.scale}, {"y", &a->y}};
        return compute("head", s, 1e-6, 1e-6, all, static_cast<const QueryKernel*>(a->call.entry->user)->model);
    } catch (...) {
        return ULPGATE_FAILED;
    }
}

// Entries for a text of the query path.
void add_query(const ulpgate::QueryText& text, std::vector<std::unique_ptr<QueryKernel>>& kernels, std::vector<ulpgate_entry>& entries) {
    for (const auto& s : text.subjects) {
        auto k = std::make_unique<QueryKernel>();
        k->model = s.model;
        k->claim = print(s.model.contract);
        if (const auto* f = ulpgate::find_query_fault(s.model.fault)) f->change(k->model);
        ulpgate_entry e{};
        e.size = sizeof e;
        e.contract = k->claim.c_str();
        if (s.abi == ulpgate::Abi::linear) e.linear = model_linear;
        else e.mla_query = model_query;
        e.user = k.get();
        entries.push_back(e);
        kernels.push_back(std::move(k));
    }
}

}  // namespace
