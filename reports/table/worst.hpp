// The worst error of r found for each built-in kernel, by op and type, with the input that reaches it, beside what is proven. Checked in
// as worst.toml (TABLE.md shows it); every witness is run again by a test and by `ulpgate report table`.
//
// r is read from the kernel's restatement (reference/restated), which is held to its outputs bit for bit on the witness itself: a
// 16-bit output hides r. The search climbs on that restatement with float32 outputs, which show r to an ulp.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"

namespace ulpgate {

struct WorstRow {
    std::string subject;
    Case witness;          // of the kernel's own contract, with its input hash
    double r_ulp32 = 0;    // |r^ - r|, r = 1/sqrt(S/d + eps) exact, in ulps of float32 at r
    std::string count;     // "searched N"
};

struct WorstTable {
    std::string error;  // "FILE:LINE: what is wrong", or ""
    std::vector<WorstRow> rows;
};
WorstTable parse_worst(std::string_view toml, const std::string& path);
WorstTable built_in_worst();
std::string write_worst(const std::vector<WorstRow>&);
std::string worst_markdown(const std::vector<WorstRow>&);

// Upper bounds on the error of r over every row of this width: of the kernel's own order, and of its contract, which leaves the order
// open. inf: not known.
struct WorstBounds {
    double order, contract;
};
WorstBounds worst_bounds(const WorstRow&);

struct Rerun {
    enum class How { same, differs, skipped } how;
    std::string what;  // "" where it is the same
};
// The witness on the kernel and on its restatement.
Rerun rerun(const WorstRow&, const SubjectOptions&);

// Every built-in norm kernel that runs here, each op at its own width, each type: cases programs each. progress: what is searched.
WorstTable search_worst(const std::vector<std::string>& subjects, std::int64_t cases, std::uint64_t seed, const SubjectOptions&,
                        const std::function<void(std::string_view)>& progress);

}  // namespace ulpgate
