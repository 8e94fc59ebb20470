// A fault of the query path is one changed piece of its model. One small file each; `fix` is what a kernel author reads.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/piece.hpp"
#include "reference/base/text.hpp"
#include "reference/query/path.hpp"

namespace ulpgate {

struct QueryFault {
    std::string_view kind;  // "mla.split_order"
    std::string_view line;  // what it computes, in words
    std::string_view fix;
    void (*change)(QueryModel&);
    bool head = false;        // of a projection alone too
    bool restated = false;    // known by its bits in sequential order alone: no set covers it
    std::string_view needs = "";  // contract fields without which it changes nothing: "weights=e4m3:128x128"
};

namespace query_faults {
std::span<const QueryFault* const> all();
}
const QueryFault* find_query_fault(std::string_view kind);

struct QuerySubject {
    QueryModel model;
    Abi abi = Abi::mla_query;
};

// model/TEXT and faulty/KIND[,TEXT] of the query path; nothing where the text is of a norm: it names no kind of this folder and
// no field of the query path. A TEXT without logits= is an mla_query; with it a head. The error says what is wrong.
struct QueryText {
    std::vector<QuerySubject> subjects;
    std::optional<ParseError> error;
};
std::optional<QueryText> parse_query_subject(std::string_view text);

}  // namespace ulpgate
