// The worst error of a kernel by hill climbing over segment programs. RMSNorm has no cancellation: the worst sum is one-sided
// absorption, which a program of a few segments says and random words never meet (26 against 3 ulp32 at d = 1536).
//
// What is found is a lower bound of the worst error; what is allowed on the same row is proven.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/search/objective.hpp"
#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"

namespace ulpgate::fuzzing {

struct SearchOptions {
    std::string subject;
    SubjectOptions subject_options;
    Objective objective = Objective::r;
    std::int64_t d = 1536;
    std::vector<std::string> types;   // empty: all
    std::string contract;             // only the entry that claims this; "": see entries below
    double seconds = 12;              // an entry
    std::int64_t count = 0;           // cases an entry; 0: any. With a count the result does not depend on time
    std::uint64_t seed = 7;
    unsigned jobs = 1;
    double eps = 1e-6;
    bool seeds = true;       // begin with absorption rows; false: with random programs
    bool in_process = false; // a kernel that was not built with this program, too
};

struct Searched {
    std::string contract;
    Objective objective{};
    double found = 0, allowed = 0;   // in unit_of(objective)
    std::string line;                // the witness, with hash and row
    std::int64_t cases = 0;
    double seconds = 0;
    double bare_calls = 0;           // calls a second of the kernel alone, one thread; 0: not called in this process
    unsigned jobs = 1;
};

struct SearchResult {
    enum class How { ran, not_loaded, unavailable, no_entry } how = How::ran;
    std::string what;
    std::vector<Searched> entries;
    bool interrupted = false;
};

class SearchWatcher {
  public:
    virtual ~SearchWatcher() = default;
    virtual void better(const std::string& contract, double found, std::int64_t cases) { (void)contract, (void)found, (void)cases; }
    virtual bool stop() { return false; }
};

// Entries: one for each type of x that shows r (f32 outputs rounded once), the first in the subject's order; for `ulp` and
// `outside` one for each type.
SearchResult search(const SearchOptions&, SearchWatcher&);

// The objective's value of one case on a subject, as the search counts it.
double measured(Subject&, std::size_t entry, const Case&, Objective);

}  // namespace ulpgate::fuzzing
