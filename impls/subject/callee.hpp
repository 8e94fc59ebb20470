// Where a kernel is called: a process of its own (process.hpp), or this one (here.hpp). The memory of a call, one call, and what
// became of it. The subject that drives it (isolated.hpp) decides what is called how often, on which poison, and compares.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "impls/subject/protocol.hpp"
#include "impls/subject/subject.hpp"

namespace ulpgate {

using Layout = std::array<child::Slot, child::slots>;

class Callee {
  public:
    virtual ~Callee() = default;
    virtual bool alive() const = 0;
    virtual Outcome spawn() = 0;                 // anew: ok when the kernel is loaded and described in control()
    virtual Outcome step(unsigned threads) = 0;  // one call of entry control().called on what lies in the memory
    virtual void kill() = 0;
    virtual std::string error() const = 0;       // of the last step: what the callee itself could not do

    virtual child::Control& control() = 0;
    virtual unsigned char* arena() = 0;   // outputs
    virtual unsigned char* inputs() = 0;  // that no call changes, or step() says that it did
    virtual bool grow_arena(std::uint64_t bytes) = 0;  // keeps the content; false when there is no memory
    virtual bool grow_inputs(std::uint64_t bytes) = 0;
    virtual const Layout& layout() const = 0;  // where the tensors lie
    virtual void set_layout(const Layout&, std::uint64_t reservation) = 0;
};

}  // namespace ulpgate
