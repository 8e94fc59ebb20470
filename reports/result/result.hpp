// What a run found, as data: the console, the JSON and the budget all read this and nothing else.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/judge/judge.hpp"
#include "reference/contract/contract.hpp"

namespace ulpgate {

struct Context {  // where and with what the numbers came about
    std::string version, compiler, flags;
    std::string machine;  // "x86-64 avx2"
    std::string isa;      // the last word: what a budget's target is compared with
    std::string cpu, system;
    unsigned cores = 1;
    bool ftz = false;
    std::uint64_t seed = 0;
    std::uint64_t self_check = 0, self_check_failed = 0;
    std::string self_check_what;  // the first disagreement
    double share = 1;             // of the default gate's rows that ran (--quick, --rows)
};

struct Failure {  // the first failing case of one verdict
    Verdict verdict = Verdict::inadmissible;
    bool incoherent = false;
    std::string what, reason;
    Witness witness;
    std::string line;                 // the case, with its input hash and row
    std::vector<std::string> replay;  // argv
    Contract types;                   // of the words in the witness
};

struct Cell {  // one size and profile of a group
    std::int64_t d = 0;
    std::string profile;
    Measure measure;
    std::string line;  // the case that reached measure.worst, with its row
};

struct LimitResult {
    std::string quantity;  // "r_ulp32" or "ulp"
    double limit = 0, measured = 0;
    std::string where, why;  // FILE:LINE
    std::string line;        // the case that reached `measured`
    bool over = false;
    std::string note;        // "cannot fire: ..." where no output within the contract can be over
    std::int64_t rows = 0;   // that were held to it
    double bound = 0;        // no output within the contract is off by more; inf: not known
};

struct Known {
    std::string finding, why, until, where;
    bool changed = false;  // another finding than the known one: stays red
};

struct ExcludedFault {  // a fault that the rows exclude, with the element that does
    std::string kind;
    std::int64_t row = -1, col = -1;
    std::string why;
};

struct SmallestRow {  // the failing row with the fewest columns and the simplest values
    std::string text;          // in words
    std::int64_t columns = 0;  // that are not zero
    std::string line;          // a case that replay takes; "": it fails only beside other rows
};

struct Group {  // a row of the table: one claim of a subject on one op and type
    std::string subject, op;
    Type type = Type::none;
    Claim claim;            // what it was held to, or the inferred contract
    bool inferred = false;
    bool unexplained = false;  // no claim, and no contract explains every row
    Verdict verdict = Verdict::skipped;
    std::vector<std::int64_t> d;
    std::int64_t cases = 0, passed_cases = 0, failing_cases = 0, refused_cases = 0;
    std::int64_t unreadable_cases = 0, other_tensors_cases = 0;  // could not be made; made with another hash than the line's
    Judgement whole;         // of all cases
    std::string worst_line;  // the case that reached whole.measure.worst
    std::vector<Cell> cells;
    std::vector<Failure> failures;      // one a verdict, the gravest first
    std::vector<std::string> findings;  // worth a line, no failure
    std::vector<std::string> names;     // faults equal to the failing rows bit for bit
    std::vector<std::string> explained; // the same in words
    std::string unknown;                // where no name is earned: what the rows show
    std::optional<SmallestRow> smallest;
    std::vector<ExcludedFault> excluded;
    std::string fix;
    std::vector<LimitResult> limits;
    std::optional<Known> known;
    double seconds = 0;
};

// Where a subject's error comes from (reference/stages): ulps of the output, and of r in f32 for what a row shares.
struct StageLine {
    std::string stage;
    double rms_ulp = 0, worst_ulp = 0, bias_ulp = 0, share = 0;
    double rms_ulp32 = 0, worst_ulp32 = 0;    // 0 for stages of an element
    double allowed_ulp = 0, allowed_ulp32 = 0;  // by the contract, at most; a bound on each row's and element's contribution
    std::string line;                         // the case that reached worst_ulp, with its row
    std::int64_t col = -1;
    std::map<int, std::int64_t> by_size{};    // elements by |contribution|, octaves (reference/stages/contributions.hpp)
};
struct StageTable {
    std::string subject, op;
    Type type = Type::none;
    std::int64_t d = 0;
    Contract contract;
    std::string model;  // the bit-exact restatement that the lines are of; "": none known, the row's stages are one line
    std::string how;    // why this model: in words
    std::int64_t rows = 0, elements = 0, skipped = 0;
    double rms_ulp = 0, worst_ulp = 0, bias_ulp = 0;
    std::vector<StageLine> lines;
};

// What eps does to given rows (reports/eps).
struct EpsMove {  // another eps instead of the row's own
    double eps = 0;
    double all_below = 0, some_below = 0, one_below = 0;  // rms under which it moves every output; some; about one a row. 0: none
    std::int64_t rows_all = 0, rows_some = 0;             // rows under the first two
    std::int64_t changed_rows = 0, changed_outputs = 0;   // of the correctly rounded specification
    std::int64_t worst_steps = 0;
};
struct EpsRow {  // a histogram of rms: rows with 2^k <= rms < 2^(k+1)
    int log2_rms = 0;
    std::int64_t rows = 0;
    double share = 0;  // eps / (v + eps), the mean of these rows
};
struct EpsTable {
    std::string op, source;  // a profile, or FILE@NAME
    Type type = Type::none;
    std::int64_t d = 0, rows = 0, elements = 0;
    double eps = 0;
    std::vector<EpsRow> by_rms;
    double share_median = 0, share_worst = 0;
    std::vector<EpsMove> moves;
    std::string subject;                              // whose eps was recovered; "" for none
    double recovered_lo = 0, recovered_hi = 0;        // lo > hi: no one eps explains the rows
    std::int64_t recovered_rows = 0;
    std::string warning;
};

// The largest error that something else than a run's own rows reached: a search (reports/table), or every word of a type.
struct Maximum {
    std::string subject, op;
    Type type = Type::none;
    std::int64_t d = 0;
    std::string quantity;         // "r_ulp32" or "ulp"
    double value = 0;
    std::string count;            // "searched 100000": at least; "exhaustive 65536": of all that there is
    std::int64_t inadmissible = 0;  // of those
    std::string line;             // the case that reaches it
};

struct SubjectInfo {
    std::string text, name, version, mode;
};
struct Skipped {
    std::string subject, reason;
    bool required = false;
};
struct NotLoaded {
    std::string subject, reason;
};

struct Result {
    Context context;
    std::vector<SubjectInfo> subjects;
    std::vector<Group> groups;
    std::vector<Skipped> skipped;
    std::vector<NotLoaded> not_loaded;
    std::vector<std::string> notes;  // of the run as a whole
    std::vector<StageTable> stages;  // of `report budget`
    std::vector<EpsTable> eps;       // of `report eps`
    std::vector<Maximum> maxima;     // of `report table` and of search --exhaustive
    bool complete = true;
    bool claim_missing = false;  // --require-claim, and a subject claims nothing
    double seconds = 0;
    int exit = 0;
};

bool claims_nothing(const Claim&);

// 130 > 2 > 3 > 4 > 1 > 6 > 5 > 0. Known findings count as passed.
int exit_of(const Result&);

// Groups by verdict, then what was skipped or did not load, in a fixed order; zero counts left out.
std::vector<std::pair<std::string, std::int64_t>> totals(const Result&);

// The gravest verdict of a group from those of its cases.
bool fails(Verdict);
int gravity(Verdict);

// "inadmissible", or with the first name: "inadmissible: f32_gain". What a [[known]] entry is compared with.
std::string finding_of(const Group&);

// The contracts that explain every row of a group whose claim does not hold.
std::vector<Contract> computes(const Group&);

}  // namespace ulpgate
