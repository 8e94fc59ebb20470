// The tensors and sizes of one call by name: addresses, strides, and where they lie in the executor's memory.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "impls/cuda/launch/expression.hpp"
#include "impls/cuda/ptx/memory.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate::launch {

struct Placed {
    std::string_view name;
    const ulpgate_tensor* tensor;
    bool writable;
    std::uint64_t address = 0;     // as the kernel sees it; 0: absent
    std::int64_t row_stride = 0;   // as the kernel is told
};

class Tensors {
  public:
    // Addresses are the host's own. The call must outlive them.
    explicit Tensors(const ulpgate_rmsnorm&);
    explicit Tensors(const ulpgate_mla_query&);
    explicit Tensors(const ulpgate_linear&);
    // Every row stride of more than one row becomes `elements` (plus what keeps its alignment), at virtual addresses: no memory
    // is used for the gaps.
    void spread(std::int64_t elements);

    const Placed* find(std::string_view name) const;  // nullptr: the operation has none of that name
    void add_to(ptx::Memory&) const;
    std::int64_t value(std::string_view name) const;  // of a name in an expression; throws std::runtime_error
    double real(std::string_view name) const;         // of a name in a parameter of type f32 or f64; throws std::runtime_error
    bool contiguous_columns() const;  // but for those whose strides are honoured element by element
    std::int64_t rows() const { return value("rows"); }

  private:
    template <class A>
    void place(const A&);

    std::vector<Placed> all_;
    std::vector<std::pair<std::string_view, std::int64_t>> sizes_;
    std::vector<std::pair<std::string_view, double>> reals_;
};

}  // namespace ulpgate::launch
