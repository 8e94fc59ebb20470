// From a failing case to a finding: repeated in a fresh process, named, told apart from what is known, reduced.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/campaign/finding.hpp"
#include "fuzz/sample/space.hpp"

namespace ulpgate::fuzzing {

class Namer {
  public:
    Namer(std::string subject, SubjectOptions options, const Space& space, std::uint64_t seed, int tries)
        : subject_(std::move(subject)), options_(std::move(options)), space_(space), seed_(seed), tries_(tries) {}

    // Nothing where one of `known` has the same diagnosis; its count then grows. entry: of the space.
    std::optional<Finding> name(std::size_t entry, const Case&, const std::string& kind, std::int64_t number, std::vector<Finding>& known);
    // Whether its reduced case fails still, in a fresh process. What did not repeat when it was found counts as failing. Sets `unclaimed`.
    bool fails(Finding&) const;

  private:
    struct Seen {
        Made made;
        Outcome outcome;
        Judgement judgement;
        std::string kind;
    };
    Seen look(std::size_t entry, const Case&, Subject&) const;
    void diagnose(std::size_t entry, const Case&, const Seen&, Finding&);
    std::vector<Case> company(std::size_t entry, const Case&, std::int64_t number) const;

    std::string subject_;
    SubjectOptions options_;
    const Space& space_;
    std::uint64_t seed_;
    int tries_;
};

}  // namespace ulpgate::fuzzing
