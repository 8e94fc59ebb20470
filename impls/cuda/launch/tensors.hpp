// The tensors of one call by name: addresses, strides, and where they lie in the executor's memory.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "impls/cuda/launch/expression.hpp"
#include "impls/cuda/ptx/memory.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate::launch {

struct Placed {
    std::string_view name;
    const ulpgate_tensor* tensor;
    bool writable;
    std::uint64_t address = 0;     // as the kernel sees it
    std::int64_t row_stride = 0;   // as the kernel is told
};

class Tensors {
  public:
    // Addresses are the host's own.
    explicit Tensors(const ulpgate_rmsnorm&);
    // Every row stride of more than one row becomes `elements` (plus what keeps its alignment), at virtual addresses: no memory
    // is used for the gaps.
    void spread(std::int64_t elements);

    const Placed* find(std::string_view name) const;
    void add_to(ptx::Memory&) const;
    std::int64_t value(std::string_view name) const;  // of a name in an expression; throws std::runtime_error

  private:
    const ulpgate_rmsnorm& a_;
    std::vector<Placed> all_;
};

}  // namespace ulpgate::launch
