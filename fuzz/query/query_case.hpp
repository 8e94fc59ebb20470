// Bytes as a small case of the query path or of the head: every byte string is one. A profile fills the tensors, then up to twelve
// words are put where the bytes say: NaN, infinities, subnormals and values next to overflow come in there.
//
//   bytes  version | type | map and weights | bias, taps, latent, partial sums, op | orders | norm | model | shape | eps | rows |
//          profile | seed | words ...
//   text   bytes that begin with a printable character are read as a case line of these ops first (no words put in)
//
// The tables of a version never change: a corpus keeps its meaning.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "properties/cases/case.hpp"
#include "reference/query/path.hpp"

namespace ulpgate {

struct PutWord {  // in an input: its element in row-major order
    std::string tensor;
    std::int64_t element = 0;
    std::uint32_t word = 0;
};

struct QueryFuzzCase {
    Case input;
    QueryModel model;  // one that keeps to the contract
    std::vector<PutWord> words;

    // The tensors of the case with the words in them.
    Made make() const;
    // "mla_query/bf16/64/... with h[3] = 7fc0"
    std::string text() const;
};

// Bytes that are missing read as zero, bytes left over are ignored. claims: of a subject's mla_query entries; the case then is an
// mla_query that claims one of them.
QueryFuzzCase decode_query_case(std::span<const std::uint8_t>, std::span<const Claim> claims = {});

}  // namespace ulpgate
