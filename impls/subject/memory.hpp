// The tensors of one call in the arena: where they lie, what surrounds them, and whether it is still there.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "impls/subject/callee.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

// front: every tensor begins right behind a guard page; back: it ends right before one, as far as alignment allows.
enum class Flush { front, back };

struct Pass {
    Flush flush;
    unsigned char poison;   // every byte of an output before the call
    bool in_place = false;  // y is x's memory, residual_out is residual's
    bool keep_room = false; // at least the pages that the call before had, so that nothing is mapped anew for fewer rows
};

// Where the inputs of the case at hand already lie, by tensor: 1 + their place in the inputs' file; 0: nowhere. No call can change
// them there, so that calls which place them alike write them once.
using InputsHeld = std::array<std::uint64_t, child::slots>;

class CallMemory {
  public:
    // data: whose inputs' bytes are used, from their first on: the tensors' own, or those that they are the first rows of.
    CallMemory(Callee& callee, const Tensors& tensors, const Tensors& data, const EntryInfo& entry, InputsHeld& held)
        : callee_(callee), t_(tensors), data_(data), entry_(entry), held_(held) {}

    // Lays out and fills. "" or why it cannot be (memory, alignment).
    std::string prepare(const Pass&);
    // After the call: "" or what was written where it must not be. Inputs cannot be: see protocol.hpp.
    std::string intact() const;
    // After a refusal: "" or the first element of an output that was written all the same.
    std::string written() const;
    std::vector<std::vector<std::byte>> outputs() const;
    bool equals(const std::vector<std::vector<std::byte>>&) const;  // to the outputs, compared where they lie
    // The first element that holds each pass's poison: no kernel wrote it. "" when there is none.
    static std::string unwritten(const Tensors&, const std::vector<std::vector<std::byte>>& a, unsigned char poison_a,
                                 const std::vector<std::vector<std::byte>>& b, unsigned char poison_b);

  private:
    unsigned char* pages(const child::Slot&) const;  // of the slot, in this process
    unsigned char* data(std::size_t k) const;
    std::size_t source(std::size_t k) const;       // in place, of an output: its input; otherwise all.size()
    std::uint64_t readable(std::size_t k) const;   // bytes past the end that may be read
    child::Slot place_tensor(std::size_t k, std::uint64_t align) const;
    void fill(std::size_t k);

    Callee& callee_;
    const Tensors &t_, &data_;
    const EntryInfo& entry_;
    InputsHeld& held_;
    Pass pass_{};
};

// "row 3 col 5 of y"
std::string place(const Tensor&, std::int64_t logical);

}  // namespace ulpgate
