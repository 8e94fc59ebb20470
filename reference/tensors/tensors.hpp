// The data of one case, as a subject sees it: every tensor of the operation's table with its strides. The gaps between
// strided rows are part of it: live data of someone else, generated, hashed, and expected back unchanged.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "reference/contract/contract.hpp"
#include "reference/ops/op.hpp"

namespace ulpgate {

struct Tensor {
    const TensorSpec* spec = nullptr;
    Type type = Type::none;
    int rank = 0;
    std::array<std::int64_t, 4> size{1, 1, 1, 1};  // outermost first
    std::array<std::int64_t, 4> stride{};          // in elements
    std::vector<std::byte> storage;                // extent() elements; empty for an output

    std::int64_t count() const;   // elements that belong to the tensor
    std::int64_t extent() const;  // elements from the first to the last, gaps included
    // Position in the storage of the element with this row-major index.
    std::int64_t at(std::int64_t logical) const;
    // A matrix view: all dimensions but the last make the rows. A vector has one row.
    std::int64_t rows() const;
    std::int64_t width() const { return rank ? size[static_cast<std::size_t>(rank - 1)] : 1; }
    std::int64_t row_at(std::int64_t row) const { return at(row * width()); }

    std::uint32_t word(std::int64_t position) const;
    void set_word(std::int64_t position, std::uint32_t word);
    float value(std::int64_t logical) const { return decode(type, word(at(logical))); }
    // Decodes row `row` (out.size() == width()); the last dimension is contiguous.
    void read_row(std::int64_t row, std::span<float> out) const;
    // Encodes, one rounding each.
    void write_row(std::int64_t row, std::span<const float> in);
};

struct Tensors {
    const Op* op = nullptr;
    Contract contract;
    Sizes sizes;
    double eps = 1e-6;              // of the norm
    double config_eps = 1e-6;       // what the model's config says, where an op must not use it
    std::int64_t offset = 0;        // elements by which every tensor's start is moved off its alignment
    std::uint32_t threads = 1;      // granted to the kernel
    std::vector<Tensor> all;        // in the order of op->tensors, absent ones left out

    const Tensor* find(std::string_view name) const;
    Tensor* find(std::string_view name);
    // Of every input, gaps included, with sizes, strides, types and eps.
    std::uint64_t hash() const;
};

// Shapes and strides by the op's table, storage allocated for inputs (zero), none for outputs.
// ld, yld: row strides of the strided inputs and outputs in elements; 0: contiguous.
Tensors lay_out(const Op&, const Contract&, const Sizes&, std::int64_t ld = 0, std::int64_t yld = 0);

// Unpacks `n` contiguous words of type t to floats, and packs floats into words with one rounding each.
void unpack(Type t, const std::byte* in, std::span<float> out);
void pack(Type t, std::span<const float> in, std::byte* out);

}  // namespace ulpgate
