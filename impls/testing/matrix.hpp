// A matrix in memory as a kernel sees it: any row stride, any start, and canaries before, between and after
// its rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "impls/ulpgate_kernel.h"
#include "reference/formats/format.hpp"

namespace ulpgate::testing {

class Matrix {
  public:
    // row, column: strides in elements; offset: elements from a 64-byte boundary to the first.
    Matrix(Type type, std::int64_t rows, std::int64_t columns, std::int64_t row, int offset,
           std::int64_t column = 1)
        : type_(type), rows_(rows), columns_(columns), row_(row), column_(column) {
        const auto last = rows && columns ? (rows - 1) * row + (columns - 1) * column + 1 : 0;
        memory_.assign(static_cast<std::size_t>((last + offset) * bytes(type)) + 64 + 2 * guard, canary);
        const auto at = reinterpret_cast<std::uintptr_t>(memory_.data()) + guard;
        first_ = static_cast<std::size_t>((64 - at % 64) % 64) + guard +
                 static_cast<std::size_t>(offset * bytes(type));
    }
    Matrix(Type type, std::int64_t columns, int offset) : Matrix(type, 1, columns, columns, offset) {
        rank_ = 1;
    }
    Matrix(Matrix&&) = default;  // the memory stays where it is
    Matrix(const Matrix&) = delete;

    std::uint32_t get(std::int64_t i, std::int64_t j) const {
        std::uint32_t word = 0;
        std::memcpy(&word, memory_.data() + at(i, j), static_cast<std::size_t>(bytes(type_)));
        return word;
    }
    void set(std::int64_t i, std::int64_t j, std::uint32_t word) {
        std::memcpy(memory_.data() + at(i, j), &word, static_cast<std::size_t>(bytes(type_)));
    }
    std::vector<std::uint32_t> row(std::int64_t i) const {
        std::vector<std::uint32_t> words;
        for (std::int64_t j = 0; j < columns_; ++j) words.push_back(get(i, j));
        return words;
    }
    void set_row(std::int64_t i, const std::vector<std::uint32_t>& words) {
        for (std::int64_t j = 0; j < columns_; ++j) set(i, j, words[static_cast<std::size_t>(j)]);
    }

    // Every byte that is no element of the matrix is as it was made.
    bool canaries_intact() const {
        std::vector<unsigned char> rest = memory_;
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < columns_; ++j)
                std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(at(i, j)), bytes(type_), canary);
        return std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return c == canary; });
    }
    const std::vector<unsigned char>& memory() const { return memory_; }

    ulpgate_tensor tensor() {
        ulpgate_tensor t{};
        t.data = memory_.data() + first_;
        t.type = static_cast<std::uint32_t>(type_);
        t.rank = rank_;
        if (rank_ == 1)
            t.size[0] = columns_, t.stride[0] = column_;
        else
            t.size[0] = rows_, t.size[1] = columns_, t.stride[0] = row_, t.stride[1] = column_;
        return t;
    }
    Type type() const { return type_; }

  private:
    static constexpr unsigned char canary = 0xa5;
    static constexpr std::size_t guard = 256;
    std::size_t at(std::int64_t i, std::int64_t j) const {
        return first_ + static_cast<std::size_t>((i * row_ + j * column_) * bytes(type_));
    }
    Type type_;
    std::int64_t rows_, columns_, row_, column_;
    std::uint32_t rank_ = 2;
    std::size_t first_ = 0;
    std::vector<unsigned char> memory_;
};

}  // namespace ulpgate::testing
