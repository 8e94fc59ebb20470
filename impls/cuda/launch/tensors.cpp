#include "impls/cuda/launch/tensors.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ulpgate::launch {
namespace {

std::uint64_t element(const ulpgate_tensor& t) { return (t.type & 0xff) / 8; }
std::int64_t rows(const ulpgate_tensor& t) { return t.rank == 2 ? t.size[0] : 1; }
std::int64_t columns(const ulpgate_tensor& t) { return t.size[t.rank - 1]; }
std::uint64_t span(const ulpgate_tensor& t, std::int64_t row_stride) {
    return rows(t) && columns(t) ? static_cast<std::uint64_t>((rows(t) - 1) * row_stride + columns(t)) * element(t) : 0;
}

}  // namespace

Tensors::Tensors(const ulpgate_rmsnorm& a) : a_(a) {
    const auto add = [&](std::string_view name, const ulpgate_tensor& t, bool writable) {
        if (t.data) all_.push_back({name, &t, writable, reinterpret_cast<std::uint64_t>(t.data), t.rank == 2 ? t.stride[0] : 0});
    };
    // In place, y lies where x does: what is written comes first, so that it is found as writable.
    add("y", a.y, true);
    add("residual_out", a.residual_out, true);
    add("rstd", a.rstd, true);
    add("x", a.x, false);
    add("w", a.w, false);
    add("beta", a.beta, false);
    add("residual", a.residual, false);
}

void Tensors::spread(std::int64_t elements) {
    std::uint64_t at = std::uint64_t{1} << 46;
    for (auto& p : all_) {
        if (p.tensor->rank != 2) continue;
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

std::int64_t Tensors::value(std::string_view name) const {
    if (name == "rows") return a_.rows;
    if (name == "d") return a_.d;
    if (name == "d_stat") return a_.d_stat;
    if (name == "batch") return a_.batch;
    if (name == "tokens") return a_.tokens;
    const auto dot = name.find('.');
    const Placed* p = find(name.substr(0, dot));
    if (p && dot != name.npos) {
        const auto what = name.substr(dot + 1);
        if (what == "row") return p->row_stride;
        if (what == "align") return static_cast<std::int64_t>(p->address % 4096 ? p->address & (~p->address + 1) : 4096);
    }
    throw std::runtime_error(fmt::format("no value '{}': there are rows, d, d_stat, batch, tokens, and T.row, T.align of a tensor T that the call has", name));
}

}  // namespace ulpgate::launch
