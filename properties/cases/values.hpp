// The text of values and segment programs in a case line.
//
//   VALUE    a hex float exact in the type (0x1.8p+0, or a decimal), inf, -inf, or bHEX: the word itself
//   (b7fc1) SEGMENT  START+STRIDExCOUNT:VALUE     COUNT columns from START on, STRIDE apart
//            START+STRIDEw:HEX...         one column a word, each of as many digits as the type has
//            START+STRIDExCOUNTw:HEX...   COUNT columns get the words cyclically
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "properties/cases/case.hpp"

namespace ulpgate {

inline constexpr std::size_t most_segments = 4096;

// "" or what is wrong and what would be right.
std::string read_value(std::string_view text, Type, std::uint32_t& word);
std::string print_value(Type, std::uint32_t word);

// SEGMENT,SEGMENT...  d: columns of the tensor.
std::optional<ParseError> read_segments(std::string_view text, Type, std::int64_t d,
                                        std::vector<Segment>& out);
std::string print_segments(Type, const std::vector<Segment>&);

}  // namespace ulpgate
