// How often a name is wrong where the list does not hold the fault: kernels by somebody who had not read the diagnosis, each
// beside a sidecar that says what it computes (impls/byhand/TRUTH.md). Two faults at once and kernels without one are among them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/explain/explain.hpp"

namespace ulpgate {

struct Truth {
    std::string error;  // "PATH:LINE: what", or ""
    std::string subject, nameable;
    bool honest = false;
    std::vector<std::vector<std::string>> names;  // by fault: the kinds of the list that state it
    struct Also {                                 // names that are right at some widths only
        std::vector<std::string> kinds;
        std::int64_t below = 0, multiple_of = 0;  // of d; 0: any
    };
    std::vector<Also> also;
    std::vector<std::vector<std::string>> same_function;  // kinds that together, and only so, compute what the kernel does
};
Truth read_truth(const std::string& path);

enum class Scored {
    right,     // a name that the truth allows, each of its lines; without a fault: nothing said
    tied,      // such a name among others that no row tells from it
    unknown,   // seen to be wrong, and no name
    misnamed,  // a name that the truth does not allow; without a fault: any
    unseen,    // every row fits the claim
    failed,    // the kernel did not answer
};
std::string_view name(Scored);
Scored score(const Truth&, const Claim&, std::int64_t d, const Explanation&);

struct ScoredKernel {
    std::string subject, contract;
    std::int64_t d = 0;
    Scored scored = Scored::unseen;
    bool honest = false, both = false;  // both: of two faults, both are in the name
    std::string said;                   // the names; where unknown, the smallest failing row and the relations that break
    std::int64_t rows = 0, calls = 0;
    double seconds = 0;
};
// Every entry of the kernel, once.
std::vector<ScoredKernel> score_kernel(const Truth&, Subject&, std::int64_t d);

}  // namespace ulpgate
