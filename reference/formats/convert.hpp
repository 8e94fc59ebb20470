// Format::encode, decode and round over whole arrays, bit for bit the same (NaN, Inf, subnormals and -0 included): the
// inner loops of every judge. Branch-free integer code, one template for all formats, compiled for AVX2 as well.
#pragma once
#include <cstddef>
#include <span>

#include "reference/formats/format.hpp"

namespace ulpgate {

void encode_words(Type t, std::span<const float> in, std::byte* out);  // out: in.size() contiguous words, any alignment
void decode_words(Type t, const std::byte* in, std::span<float> out);
void round_values(Type t, std::span<float> v);
// The values of room.size() words: the words themselves where they are floats, else decoded into room.
std::span<const float> floats_of(Type t, const std::byte* in, std::span<float> room);

namespace portable {  // the same bits without AVX2
void encode_words(Type t, std::span<const float> in, std::byte* out);
void decode_words(Type t, const std::byte* in, std::span<float> out);
void round_values(Type t, std::span<float> v);
}  // namespace portable

}  // namespace ulpgate
