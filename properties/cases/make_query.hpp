// The tensors of mla_query and head: activations, matrices, scales and gains by a query profile.
#pragma once
#include "properties/cases/case.hpp"

namespace ulpgate {

Sizes query_sizes(const Case&);
Misfit query_misfit(const Case&);
Made make_query(const Case&);  // of a case without misfit

}  // namespace ulpgate
