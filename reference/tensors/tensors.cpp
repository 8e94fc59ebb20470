#include "reference/tensors/tensors.hpp"

#include <bit>

#include "reference/base/hash.hpp"
#include "reference/formats/convert.hpp"

namespace ulpgate {

std::int64_t Tensor::count() const {
    std::int64_t n = 1;
    for (int k = 0; k < rank; ++k) n *= size[static_cast<std::size_t>(k)];
    return n;
}

std::int64_t Tensor::extent() const {
    if (count() == 0) return 0;
    std::int64_t n = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) n += (size[k] - 1) * stride[k];
    return n;
}

std::int64_t Tensor::at(std::int64_t logical) const {
    std::int64_t p = 0;
    for (std::size_t k = static_cast<std::size_t>(rank); k--;) {
        p += logical % size[k] * stride[k];
        logical /= size[k];
    }
    return p;
}

std::int64_t Tensor::rows() const { return width() ? count() / width() : 0; }

std::uint32_t Tensor::word(std::int64_t position) const {
    std::uint32_t w = 0;
    const auto n = static_cast<std::size_t>(bytes(type));
    std::memcpy(&w, storage.data() + static_cast<std::size_t>(position) * n, n);
    return w;
}

void Tensor::set_word(std::int64_t position, std::uint32_t w) {
    const auto n = static_cast<std::size_t>(bytes(type));
    std::memcpy(storage.data() + static_cast<std::size_t>(position) * n, &w, n);
}

void Tensor::read_row(std::int64_t row, std::span<float> out) const {
    unpack(type, storage.data() + row_at(row) * bytes(type), out);
}

void Tensor::write_row(std::int64_t row, std::span<const float> in) {
    pack(type, in, storage.data() + row_at(row) * bytes(type));
}

const Tensor* Tensors::find(std::string_view name) const {
    for (const auto& t : all)
        if (t.spec->name == name) return &t;
    return nullptr;
}

Tensor* Tensors::find(std::string_view name) {
    for (auto& t : all)
        if (t.spec->name == name) return &t;
    return nullptr;
}

std::uint64_t Tensors::hash() const {
    Hash h;
    for (const auto& t : all) {
        h.add(static_cast<std::int64_t>(t.type));
        for (std::size_t k = 0; k < static_cast<std::size_t>(t.rank); ++k) {
            h.add(t.size[k]);
            h.add(t.stride[k]);
        }
        if (t.spec->input()) h.add(t.storage.data(), t.storage.size());
    }
    h.add(std::bit_cast<std::int64_t>(eps));
    h.add(offset);
    return h.value();
}

Tensors lay_out(const Op& op, const Contract& c, const Sizes& sizes, std::int64_t ld, std::int64_t yld) {
    Tensors t;
    t.op = &op;
    t.contract = c;
    t.sizes = sizes;
    for (const auto& spec : op.tensors) {
        if (!spec.present(c)) continue;
        Tensor& n = t.all.emplace_back();
        n.spec = &spec;
        switch (spec.type) {
        case Of::x: n.type = c.x; break;
        case Of::w: n.type = c.w; break;
        case Of::y: n.type = c.y; break;
        case Of::res: n.type = c.res; break;
        case Of::f32: n.type = Type::f32; break;
        case Of::i64: n.type = Type::i64; break;
        case Of::angles: n.type = c.rope == Rope::one_cast ? Type::f32 : c.x; break;
        case Of::weights: n.type = c.weights == Type::none ? c.x : c.weights; break;
        }
        for (Dim d : spec.dim)
            if (d != Dim::none) n.size[static_cast<std::size_t>(n.rank++)] = sizes[d];
        const std::int64_t row_stride = spec.input() ? ld : yld;
        std::int64_t step = 1;
        for (int k = n.rank; k--;) {
            n.stride[static_cast<std::size_t>(k)] = step;
            step *= n.size[static_cast<std::size_t>(k)];
            if (row_stride && k == n.rank - 1 && n.rank > 1 && spec.strided && spec.dir != Dir::weight) step = row_stride;
        }
        if (spec.input()) n.storage.resize(static_cast<std::size_t>(n.extent() * bytes(n.type)));
    }
    return t;
}

void unpack(Type t, const std::byte* in, std::span<float> out) { decode_words(t, in, out); }

void pack(Type t, std::span<const float> in, std::byte* out) { encode_words(t, in, out); }

}  // namespace ulpgate
