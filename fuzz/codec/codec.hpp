// Bytes as a case: every byte string is one, and a small change of it is a small change of the case. What is made is small: at
// most case_elements of x. An input is a segment program (fill value, then up to 12 of {start, stride 2^k, count, value}), which
// finds more than raw words do (worst errors of r: 22 to 26 ulp32 against 6 to 13), or a profile.
//
//   bytes  version | type | knobs of the contract | knobs of a model that keeps it | d | rows | eps | layout | gain | x | ...
//   text   a hard case: lines that begin with # say where it comes from, one line is a case as `ulpgate replay` takes it
//          (a subject may stand before it). Bytes that begin with a printable character or a line's end are read as text
//          first; the model then is the plain one of its contract.
//
// The tables of a version never change: a corpus keeps its meaning. A new choice is a new version.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/codec/reader.hpp"
#include "properties/cases/case.hpp"

namespace ulpgate {

inline constexpr std::int64_t case_elements = 8192;
inline constexpr std::uint8_t codec_version = 1;

struct FuzzCase {
    Case input;
    std::string model;  // one that keeps to the contract: "bf16,cast_first,order=lanes:8x4"
    friend bool operator==(const FuzzCase&, const FuzzCase&) = default;
};

// Bytes that are missing read as zero, bytes left over are ignored. claims: of a subject; the case then claims one of them.
FuzzCase decode_case(std::span<const std::uint8_t>, std::span<const Claim> claims = {});

// One segment program as it stands in the bytes: a count, the fill value, the segments.
Program read_program(ByteReader&, Type, std::int64_t d);

// Bytes of the newest version that give this case again; nothing where none do (a width above 8192, words in a row, a file).
std::optional<std::vector<std::uint8_t>> encode_case(const Case&);

// A hard case's text; nothing where it holds no case, or more than one.
std::optional<Case> read_hard_case(std::string_view text);
std::string hard_case_text(const Case&, std::string_view provenance);

}  // namespace ulpgate
