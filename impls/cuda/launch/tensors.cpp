#include "impls/cuda/launch/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "impls/cuda/launch/arguments.hpp"

namespace ulpgate::launch {
namespace {

std::uint64_t element(const ulpgate_tensor& t) { return (t.type & 0xff) / 8; }
std::int64_t columns(const ulpgate_tensor& t) { return t.size[t.rank - 1]; }
std::uint64_t span(const ulpgate_tensor& t, std::int64_t row_stride) {
    std::int64_t last = 0;
    for (std::uint32_t k = 0; k < t.rank; ++k) {
        if (t.size[k] == 0) return 0;
        last += (t.size[k] - 1) * (t.rank == 2 && k == 0 ? row_stride : t.stride[k]);
    }
    return static_cast<std::uint64_t>(last + 1) * element(t);
}

}  // namespace

template <class A>
void Tensors::place(const A& a) {
    for_each_tensor(a, [&](std::string_view name, const ulpgate_tensor& t, bool writable) {
        all_.push_back({name, &t, writable, reinterpret_cast<std::uint64_t>(t.data), t.data && t.rank >= 2 ? t.stride[t.rank - 2] : 0});
    });
}

Tensors::Tensors(const ulpgate_rmsnorm& a)
    : sizes_{{"rows", a.rows}, {"d", a.d}, {"d_stat", a.d_stat}, {"batch", a.batch}, {"tokens", a.tokens}}, reals_{{"eps", a.eps}, {"rcp_d", 1.0 / static_cast<double>(a.d)}} {
    place(a);
}

Tensors::Tensors(const ulpgate_mla_query& a)
    : sizes_{{"rows", a.batch * a.tokens}, {"batch", a.batch}, {"tokens", a.tokens}, {"hidden", a.hidden}, {"heads", a.heads}, {"q_rank", a.q_rank}, {"kv_rank", a.kv_rank},
             {"nope", a.nope}, {"rope", a.rope}, {"a_out", a.q_rank ? a.a.w.size[0] : 0}, {"b_out", a.heads * (a.nope + a.rope)}, {"b_in", a.q_rank ? a.q_rank : a.hidden}},
      reals_{{"eps", a.latent_eps}, {"latent_eps", a.latent_eps}, {"config_eps", a.config_eps}} {
    place(a);
}

Tensors::Tensors(const ulpgate_linear& a) : sizes_{{"rows", a.tokens}, {"tokens", a.tokens}, {"in", a.w.w.size[1]}, {"out", a.w.w.size[0]}} { place(a); }

void Tensors::spread(std::int64_t elements) {
    std::uint64_t at = std::uint64_t{1} << 46;
    for (auto& p : all_) {
        if (!p.address || p.tensor->rank != 2) continue;
        p.row_stride = elements + (p.row_stride % 64);
        p.address = at + p.address % 4096;
        at += std::uint64_t{1} << 42;
    }
}

const Placed* Tensors::find(std::string_view name) const {
    for (const auto& p : all_)
        if (p.name == name) return &p;
    return nullptr;
}

void Tensors::add_to(ptx::Memory& m) const {
    for (const auto& p : all_) {
        if (!p.address) continue;
        const auto& t = *p.tensor;
        auto* host = static_cast<std::uint8_t*>(t.data);
        const bool virtual_rows = p.address != reinterpret_cast<std::uint64_t>(t.data);
        ptx::Region r{std::string(p.name), p.address, span(t, p.row_stride), p.writable, host, 0, 0, 0};
        if (virtual_rows) {
            r.pitch = static_cast<std::uint64_t>(p.row_stride) * element(t);
            r.row_bytes = static_cast<std::uint64_t>(columns(t)) * element(t);
            r.host_pitch = static_cast<std::uint64_t>(t.stride[0]) * element(t);
        }
        m.add(std::move(r));
    }
}

bool Tensors::contiguous_columns() const {
    return std::all_of(all_.begin(), all_.end(), [](const Placed& p) { return !p.address || columns(*p.tensor) <= 1 || p.tensor->stride[p.tensor->rank - 1] == 1; });
}

std::int64_t Tensors::value(std::string_view name) const {
    for (const auto& [n, v] : sizes_)
        if (n == name) return v;
    const auto dot = name.find('.');
    const Placed* p = find(name.substr(0, dot));
    if (p && dot != name.npos) {
        const auto what = name.substr(dot + 1);
        if (what == "given") return p->address != 0;
        if (what == "bytes") return p->address ? static_cast<std::int64_t>(element(*p->tensor)) : 0;
        if (what == "row") return p->row_stride;
        if (what == "align") return static_cast<std::int64_t>(p->address % 4096 ? p->address & (~p->address + 1) : 4096);
        if (what.size() == 2 && what[0] == 's' && what[1] >= '0' && what[1] <= '3') {
            const auto k = static_cast<std::uint32_t>(what[1] - '0');
            if (!p->address || k >= p->tensor->rank) return 0;
            return p->tensor->rank == 2 && k == 0 ? p->row_stride : p->tensor->stride[k];
        }
    }
    std::string sizes, tensors;
    for (const auto& s : sizes_) sizes += (sizes.empty() ? "" : ", ") + std::string(s.first);
    for (const auto& t : all_) tensors += (tensors.empty() ? "" : " ") + std::string(t.name);
    throw std::runtime_error(fmt::format("no value '{}': there are {}, and T.row, T.align, T.given, T.bytes, T.s0 to T.s3 of a tensor T ({})", name, sizes, tensors));
}

double Tensors::real(std::string_view name) const {
    std::string known;
    for (const auto& [n, v] : reals_) {
        if (n == name) return v;
        known += std::string(n) + ", ";
    }
    char* end = nullptr;
    const std::string text(name);
    const double v = std::strtod(text.c_str(), &end);
    if (text.empty() || *end) throw std::runtime_error(fmt::format("no number '{}': {}or a number", name, known));
    return v;
}

}  // namespace ulpgate::launch
