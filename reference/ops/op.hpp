// An operation is a table of its tensors: name, direction, type, dimensions, when present. Everything that moves tensors
// (shared memory, guards, poison, hashing, export, files, comparison) reads this table and knows no operation.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/base/piece.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate {

enum class Dim : std::uint8_t { none, batch, tokens, rows, d, hidden, heads, q_rank, kv_rank, nope, rope, a_out, b_out,
    b_in, a_block_rows, a_block_columns, b_block_rows, b_block_columns,
    kv_out, absorbed, places, count };  // kv_out: rows of kv_a_proj in a fused matrix; places: rows of the table of angles
enum class Dir : std::uint8_t { in, weight, out, tap };  // weight: large, mapped read-only once for many cases
enum class Of : std::uint8_t { x, w, y, res, f32, weights, i64, angles };  // the element type, by the contract

struct Sizes {
    std::array<std::int64_t, static_cast<std::size_t>(Dim::count)> v{};
    std::int64_t& operator[](Dim k) { return v[static_cast<std::size_t>(k)]; }
    std::int64_t operator[](Dim k) const { return v[static_cast<std::size_t>(k)]; }
};

struct TensorSpec {
    std::string_view name;  // as in ulpgate_kernel.h
    Dir dir;
    Of type;
    std::array<Dim, 4> dim;  // outermost first
    bool (*present)(const Contract&) = [](const Contract&) { return true; };
    bool strided = true;  // whether a case's ld applies to it

    constexpr bool input() const { return dir == Dir::in || dir == Dir::weight; }
};

enum class Abi : std::uint32_t { rmsnorm, mla_query, linear };  // the function of an entry that computes it

struct Op {
    std::string_view name;
    std::string_view what;  // one line: where it stands in the model
    Abi abi;
    std::span<const TensorSpec> tensors;
    Dim d;                     // the third field of a case line
    std::int64_t ld;           // row stride of its inputs in the model where it is not d; 0: d
    void (*defaults)(Sizes&);  // Kimi K2's shape
    void (*derive)(Sizes&);    // rows from batch and tokens, and the like
};

namespace ops {
std::span<const Op* const> all();
}
const Op* find_op(std::string_view name);

}  // namespace ulpgate
