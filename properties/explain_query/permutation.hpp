// Where outputs came from, in words: a permutation of tokens, heads and columns one by one, or of two of them together.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ulpgate {

struct Place {
    std::int64_t token, head, column;
    friend bool operator==(const Place&, const Place&) = default;
};
struct Moved {
    Place at, from;  // the output at `at` holds what belongs to `from`
};

// tokens, heads, columns: how many there are; nope: where q_pe begins. "" where no such permutation fits all.
std::string permutation_words(const std::vector<Moved>&, std::int64_t tokens, std::int64_t heads, std::int64_t columns, std::int64_t nope);

}  // namespace ulpgate
