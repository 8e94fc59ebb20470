#include <bit>

#include "reference/query_faults/query_fault.hpp"

namespace ulpgate::query_faults {

PIECE(QueryFault, fp8_scale_exponent) = {
    .kind = "mla.fp8_scale_exponent",
    .line = "a scale is its exponent's byte taken as a number (an e8m0 table read as integers)",
    .fix = "a scale byte e means 2^(e - 127)",
    .change = [](QueryModel& m) { m.pieces.scale = [](float s) { return static_cast<float>(std::bit_cast<std::uint32_t>(s) >> 23 & 0xff); }; },
    .head = true,
    .needs = "weights=e4m3:128x128",
};

}  // namespace ulpgate::query_faults
