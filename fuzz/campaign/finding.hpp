// What a campaign found: its kind, its name, the file it becomes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/judge/judge.hpp"

namespace ulpgate::fuzzing {

// inadmissible, incoherent, nan (a NaN where none is due), corrupted, unstable, crashed, hung; "" for no finding.
std::string_view kind_of(const Judgement&, const Contract& types);

struct Finding {
    std::string kind;
    std::string diagnosis;           // what findings are told apart by
    std::vector<std::string> lines;  // "it computes ...", or what is known instead
    std::string what, reason;        // of the reduced case
    std::string line;                // the reduced case, with its input hash and row
    std::string found_as;            // the case as it was drawn
    std::int64_t at = 0;             // the number of that case in the campaign
    std::int64_t times = 1;          // failing cases looked at that it explains
    bool unclaimed = false;          // the build of the last run has no entry that takes the case
    double seconds = 0, named_after = 0;  // in the campaign until it was seen; from then until it was named

    std::string file() const;  // "inadmissible-<sha1 of the line>"
};

// The file's text: provenance in comment lines, then "SUBJECT CASE", as `ulpgate gate @FILE` reads it.
std::string text_of(const Finding&, const std::string& subject, std::uint64_t seed);
// All of them as cases that any subject can be held to: `ulpgate gate SUBJECT @FILE`.
// mended: those of earlier builds, which must not come back; what no entry takes any more stands in comments.
std::string regression_text(const std::vector<Finding>&, const std::vector<Finding>& mended, const std::string& subject);

// The case with the hash of its tensors and the row that fails.
std::string full_line(Case, std::uint64_t hash, std::int64_t row);

}  // namespace ulpgate::fuzzing
