// Cases as the fuzzers see them, for properties: any byte string through the codec.
#pragma once
#include <rapidcheck.h>

#include <vector>

#include "fuzz/codec/codec.hpp"

namespace ulpgate {

inline rc::Gen<std::vector<std::uint8_t>> any_bytes() { return rc::gen::arbitrary<std::vector<std::uint8_t>>(); }
inline rc::Gen<FuzzCase> any_fuzz_case() {
    return rc::gen::map(any_bytes(), [](const std::vector<std::uint8_t>& b) { return decode_case(b); });
}

}  // namespace ulpgate
