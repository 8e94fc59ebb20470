// Cases by chance and by what came of them, on one subject in processes of its own, until time or count is up.
//
// A campaign goes in generations. Case number n is a function of the seed, n and the corpus at the start of its generation; what
// a generation found is taken in by number when it is complete. So it does not depend on the number of threads, and one that
// was killed goes on from its last state as if it had not been.
//
// A kernel that was built again is another kernel: its findings are run again, the corpus is run first, records and features
// begin anew.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign/finding.hpp"
#include "fuzz/sample/space.hpp"

namespace ulpgate::fuzzing {

struct CampaignOptions {
    std::string subject;
    SubjectOptions subject_options;
    std::string folder;         // state and findings; "": nowhere
    std::uint64_t seed = 7;
    double seconds = 60;        // of this run
    std::int64_t count = 0;     // cases in the campaign, runs before this one included; 0: any
    unsigned jobs = 1;
    bool probes = true;         // profiles that were designed with the faults in mind
    std::vector<std::string> types;
    std::vector<std::int64_t> d;
    int tries = 300;            // calls to reduce one finding
    std::size_t most_findings = 0;  // stops at so many; 0: never
};

struct Record {  // the worst of an entry
    double r_ulp32 = 0, ulp = 0;
    std::string r_line, ulp_line;
};

struct CorpusCase {
    std::size_t entry = 0;  // of the space
    Case input;
};

struct State {  // all of a campaign that a later run needs
    std::string subject, version;
    std::string build;  // SHA-1 of what the kernel is read from
    std::uint64_t seed = 0;
    bool probes = true;
    std::vector<std::string> types;
    std::vector<std::int64_t> d;
    std::int64_t generation = 0, cases = 0, refused = 0;
    double seconds = 0;
    std::vector<std::uint64_t> features;  // sorted
    std::vector<CorpusCase> corpus;
    std::map<std::string, Record> records;      // by contract
    std::map<std::string, std::int64_t> seen;   // failing cases by entry and kind
    std::vector<std::string> dropped;           // contracts that are no longer called, and why
    std::vector<Finding> findings;
    std::vector<Finding> mended;  // of earlier builds: no longer fail
};

class CampaignWatcher {
  public:
    virtual ~CampaignWatcher() = default;
    virtual void progress(const State&, double cases_a_second) { (void)cases_a_second; }
    virtual void found(const Finding&) {}
    virtual bool stop() { return false; }
};

struct CampaignResult {
    enum class How { ran, bad_folder, not_loaded, unavailable, nothing_to_fuzz, other_campaign } how = How::ran;
    std::string what;  // unless ran
    State state;
    std::int64_t cases_before = 0;  // of earlier runs
    double seconds = 0;             // of this run
    bool interrupted = false;
    std::string rebuilt;  // "" or what was done because the kernel is another build than the last run's
    std::vector<std::string> left_out;
};

CampaignResult run_campaign(const CampaignOptions&, CampaignWatcher&);

}  // namespace ulpgate::fuzzing
