// One line of `ulpgate bench`: something measured beside its peers in the same run, as ratios. An absolute rate means little on
// a shared machine; two rates taken in turns, on the same data, keep their ratio.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/piece.hpp"

namespace ulpgate::bench {

// One way to do the work. run does it once.
struct Side {
    std::string name;
    std::function<void()> run;
    double work = 1;  // of one run, in the cell's unit
    const double* elsewhere = nullptr;  // CPU seconds that its runs have used in other processes so far
};

// The best of its variants is what the subject is held against. Without variants: a rate that is asked for, on this machine.
struct Peer {
    std::string name;
    double floor = 0;  // the subject's least rate as a multiple of the peer's; 0: none, for information
    std::vector<Side> variants;
    double asked = 0;  // in the cell's unit a second
};

struct PeerResult {
    std::string name, variant;
    double rate = 0, ratio = 0, low = 0, high = 0;  // ratio: median of the rounds; low, high: all but the outermost round each
    double floor = 0;
    bool met() const { return ratio >= floor; }
};
// What was measured another way than by its rate.
struct Fixed {
    double value = 0;
    std::vector<PeerResult> peers;
};

struct Cell {
    std::string unit;  // of rates: "Melem/s", "MB/s"; work is in elements, bytes, ...
    Side subject;
    std::vector<Peer> peers;
    std::string why_skipped;  // not measured here
    Fixed fixed{};
};

struct Request {
    std::string filter;   // a part of the names; "": all
    std::string home;     // folder of kernels/ and ulpgate-child
    bool quick = false;   // tiny sizes, few rounds: the form of the output, not its numbers
    bool wanted(const std::string& name) const;
};

// A group of cells, one file each. measure: builds one cell at a time and hands it on, so that memory is one cell's.
using Measure = std::function<void(const std::string& name, const std::function<Cell()>& make)>;
struct Group {
    std::string_view name, what;
    int order;  // in the table
    void (*cells)(const Request&, const Measure&);
};
std::span<const Group* const> all();

struct CellResult {
    std::string name, unit, skipped;
    double rate = 0;
    int rounds = 0;
    std::vector<PeerResult> peers;
};
CellResult measure(const std::string& name, const Cell&, bool quick);

}  // namespace ulpgate::bench
