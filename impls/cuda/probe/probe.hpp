// What no document says of a GPU's arithmetic, asked of the GPU itself: the words that rsqrt.approx and rcp.approx give, whether
// .ftz flushes before or after rounding, the NaN of inf - inf, and how far below its largest term a tensor core still keeps bits.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ulpgate::cuda {

struct Table {  // of an approximate instruction over `count` words from `first` on
    std::string instruction;
    std::uint32_t first = 0;
    std::vector<std::int8_t> deltas;  // steps from the correctly rounded value
    double worst = 0;                 // relative error
    std::uint32_t worst_at = 0;
};

struct ProbeResult {
    std::string card, arch, unavailable;  // unavailable: why there is nothing else
    int driver = 0;
    std::vector<Table> tables;
    std::uint32_t flushed_product = 0, flushed_sum = 0, flushed_fma = 0, nan = 0;
    // The smallest u for which a product of 2^-u is lost, and what the model of that architecture says; 0: none is lost.
    int lost_at = 0, modelled_lost_at = 0;
    std::string core;  // the model's name, "" none
};

// folder: with probe.sm_NN.cubin. words: of each table, at most all (2^24 of rsqrt, 2^23 of rcp). Throws DriverError.
ProbeResult probe(const std::string& folder, std::uint32_t words);

// In words, a line each: for people and for PTX notes.
std::vector<std::string> findings(const ProbeResult&);
// Four deltas a byte, each delta + 2 in 2 bits, lowest first; "" or why it does not fit into 2 bits.
std::string pack(const Table&, std::vector<std::uint8_t>& out);

// One row of 16 factors of a and of b whose exact sum is 2^-149 with `others` products of 2^-u: what is left of it tells whether
// they were kept. False: no factors of bf16 give that sum.
bool smallest_kept(int u, int others, std::uint16_t (&a)[16], std::uint16_t (&b)[16]);

}  // namespace ulpgate::cuda
