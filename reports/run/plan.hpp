// What a run does: subjects, their entries, the cases of each.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/cases/case.hpp"
#include "reports/result/result.hpp"

namespace ulpgate {

struct CaseFilter {
    std::vector<std::string> ops, types, profiles;  // empty: all
    std::vector<std::int64_t> d;                    // empty: the gate's own
    std::uint64_t seed = 0;
    std::int64_t rows = 0;      // 0: the profile's own
    bool quick = false, probes = true;
    bool whole = true;          // false: no query path on the model's shape unless d asks for it
    std::string activations;    // a safetensors file instead of the bundled one
};

struct Wanted {  // a subject, and the lines it is to run; none: the gate's own cases
    std::string subject;
    std::vector<Case> lines;
};

struct RunRequest {
    SubjectOptions options;
    std::vector<Wanted> subjects;
    std::vector<std::string> required;   // skipping one of these is fatal
    std::vector<std::string> contracts;  // --contract: held to these instead of the entry's own claim
    CaseFilter filter;
    bool require_claim = false;
    unsigned jobs = 1;    // 0: on the calling thread, which what a subject throws then reaches
    int self_check = 4096;  // elements of the oracle checked first
    bool explain = true;    // what fails is diagnosed by rows built for it, and reduced
};

struct GroupPlan {
    std::string subject;
    std::size_t entry = 0;
    std::string op;
    Claim claim;
    std::vector<Case> cases;
    bool explain = true;
};

struct Plan {
    std::vector<GroupPlan> groups;
    std::int64_t cases = 0;
    std::int64_t rows = 0, default_rows = 0;  // of the cases; of the same without --quick and --rows
    std::string error;                        // usage: exit 2
};

// Loads each subject once to learn its entries; what does not load or is not available goes to the result.
Plan make_plan(const RunRequest&, Result&);

// Which of a subject's entries serves a claim: the same claim, else an entry that claims nothing, else one whose tensors are
// the same. Nothing: none does.
std::optional<std::size_t> entry_for(const std::vector<EntryInfo>& entries, Abi, const Claim&);
// The same types and optional tensors.
bool same_tensors(const Contract&, const Contract&);

}  // namespace ulpgate
