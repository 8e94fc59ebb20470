// The tensors of a cast_first case of q_a_layernorm with these rows, filled as the other cells are.
#pragma once
#include <vector>

#include "impls/subject/direct.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate::bench {

Tensors case_tensors(Type, std::size_t rows, std::size_t d);
// The kernel's first cast_first entry of this type, or the number of entries.
std::size_t cast_first_entry(const std::vector<std::string>& contracts, Type);

}  // namespace ulpgate::bench
