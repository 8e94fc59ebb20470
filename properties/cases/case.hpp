// A case as one line, and the line as tensors: OP/TYPE/D[/key=value]... Keys are read in any order, printed in one,
// defaults left out; no shell quotes a character of it. The grammar stands above the table in case.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/text.hpp"
#include "reference/tensors/tensors.hpp"

namespace ulpgate {

// Part of a segment program: columns start, start+stride, ... (count of them) of every row get the words, cyclically.
struct Segment {
    std::int64_t start = 0, stride = 1, count = 1;
    std::vector<std::uint32_t> words;
    friend bool operator==(const Segment&, const Segment&) = default;
};
struct Program {  // a tensor written in full: a fill value, then segments
    std::optional<std::uint32_t> fill;
    std::vector<Segment> segments;
    friend bool operator==(const Program&, const Program&) = default;
};

struct Case {
    std::string op = "q_a_layernorm";
    Claim claim{default_contract(Type::bf16)};  // member 0 gives the types; one member of map none: no claim
    std::int64_t d = 1536;
    std::string profile;     // or program.fill
    Program program;         // of x
    Program w_program, residual_program;
    std::string gain;        // rule; "" = the profile's
    double eps = 1e-6;
    std::int64_t batch = 1, tokens = 1;  // rows = batch * tokens
    std::int64_t ld = 0, yld = 0;        // 0: contiguous
    std::int64_t col = 0;                // x starts at this column of a wider buffer: the latent slice
    std::int64_t offset = 0;
    std::int64_t rank = -1, kv = 0, heads = 0, nope = 0, rope = 0, out = 0;  // of mla_query and head; the default: the model's
    std::int64_t past = 0;   // position of the first token; batch b starts b positions later
    std::uint32_t threads = 1;
    std::uint64_t seed = 0;
    int g = 1;               // generator version
    std::uint64_t h = 0;     // input hash; 0: not given
    std::int64_t row = -1;   // a selection: the whole case runs
    std::string file;        // activations: x and gains from safetensors
    friend bool operator==(const Case&, const Case&) = default;
};

// The error names the place, what is wrong and what would be right. parse(print(c)) gives c again.
std::optional<ParseError> parse(std::string_view line, Case& out);
std::string print(const Case&);

// What about a case that reads well cannot be made, and the key that says it: a row stride below d, a row beyond the last,
// tensors beyond case_bytes together. what is "" where all fits.
struct Misfit {
    std::string_view key;
    std::string what;
};
Misfit misfit(const Case&);
inline constexpr std::int64_t case_bytes = std::int64_t{2} << 30;
inline constexpr std::int64_t case_width = 65536;  // columns at most: what the oracle takes

// The tensors of the case; tensors.hash() is what the key h holds, for the caller to compare. The error says what cannot be
// made (a file that is missing, a misfit). Row i depends on the seed and i alone, whatever the number of rows.
struct Made {
    Tensors tensors;
    std::string error;
};
Made make(const Case&);

}  // namespace ulpgate
