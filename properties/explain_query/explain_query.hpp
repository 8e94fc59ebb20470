// Names for outputs of mla_query and head that the claim does not allow: the faults that give every output of every case, by
// the same exact sets, or bit for bit where a sum is kept in T. Layouts are read off in words where no listed one fits.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate {

struct QueryCase {
    const Tensors* tensors;
    const Outcome* outcome;
};
struct QueryName {
    std::string kind, text, fix;
};
struct QueryExplanation {
    std::vector<QueryName> equal;
    std::string unknown;  // where no name is earned: what the outputs show
};
QueryExplanation explain_query(const std::vector<QueryCase>&, const Contract& claim);

}  // namespace ulpgate
