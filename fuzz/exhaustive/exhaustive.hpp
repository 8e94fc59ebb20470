// Rows of one column, with every word of x's type in it: 2^16 or 2^32 of them for each gain. In units of at most 2^24 words,
// kept on disk as they are done, so that a run that was killed goes on, and shards on several machines make one.
//
// A unit is judged exactly. For f32 most words are decided by a test that is sufficient: one of the three floats next to
// 1/sqrt(x^2 + eps) gives y bit for bit, and each of them lies in the contract's interval; the others are judged as
// judge() does, one by one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "impls/subject/subject.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate::fuzzing {

struct ExhaustiveOptions {
    std::string subject;
    SubjectOptions subject_options;
    std::vector<std::string> types;  // empty: bf16 and fp16
    std::string contract;            // only the entry with this claim
    std::vector<double> gains;       // empty: gains_of
    double eps = 1e-6;               // 2^-60 to 2^60
    std::string folder;              // "": nowhere
    int shard = 0, shards = 1;       // units u with u mod shards == shard
    unsigned jobs = 1;
    bool in_process = false;
};

// 1; the gain of the master probe; a negative one; the smallest and the largest of the type.
std::vector<double> gains_of(Type w);

struct Unit {
    std::size_t entry = 0, gain = 0;  // of ExhaustiveRun::contracts and gains
    std::int64_t first = 0, words = 0, judged = 0, inadmissible = 0, refused = 0;
    std::vector<std::uint32_t> failing;  // the first few words
    double worst_ulp = 0;
    std::uint32_t worst = 0;
    double seconds = 0;
};

struct ExhaustiveRun {
    std::string error;    // "" or what is wrong and what to do
    bool skipped = false;  // unavailable here, with the reason in error
    std::string subject, library;  // SHA-1 of the library: another build is another run
    std::vector<std::string> contracts;
    std::vector<double> gains;
    double eps = 1e-6;
    int shard = 0, shards = 1;
    std::int64_t units = 0;  // of all shards
    std::vector<Unit> done;
    bool interrupted = false;
    double seconds = 0;      // of all runs and shards, one after another
    std::int64_t before = 0;  // units that an earlier run had done

    bool complete() const { return static_cast<std::int64_t>(done.size()) == units; }
    std::int64_t inadmissible() const;
};

class ExhaustiveWatcher {
  public:
    virtual ~ExhaustiveWatcher() = default;
    virtual void progress(std::int64_t units, std::int64_t of, double words_a_second) { (void)units, (void)of, (void)words_a_second; }
    virtual bool stop() { return false; }
};

ExhaustiveRun run_exhaustive(const ExhaustiveOptions&, ExhaustiveWatcher&);

// Files of shards, in any order, as one run. The error names the file that does not belong to the others, or a unit that is
// in two of them.
ExhaustiveRun merge_exhaustive(const std::vector<std::string>& paths);
bool is_exhaustive(const std::string& path);
std::string read_exhaustive(const std::string& path, ExhaustiveRun&);  // "" or what is wrong
std::string parse_exhaustive(std::string_view text, const std::string& path, ExhaustiveRun&);
std::string write_exhaustive(const std::string& path, const ExhaustiveRun&);
// The file of a shard in its folder.
std::string exhaustive_file(const ExhaustiveOptions&);

// The case of one word of a unit.
std::string line_of(const ExhaustiveRun&, const Unit&, std::uint32_t word);
// For people: a line for each entry and gain, then what fails with the command that replays it.
std::string text_of(const ExhaustiveRun&);

}  // namespace ulpgate::fuzzing
