// A verb of the command line: its flags as a table, its work as a function. One file each; flags come from the command line,
// else from ULPGATE_<FLAG>, else from ./ulpgate.toml, else the default.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/piece.hpp"

namespace ulpgate::cli {

// What the user can put right: printed as it is, exit 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class Takes {
    nothing,  // a switch
    one,      // one value; given twice: the last
    several,  // may be given again
    list      // may be given again, and holds commas
};

struct Flag {
    std::string_view name;   // "rows": --rows, ULPGATE_ROWS, rows = ... in ulpgate.toml
    Takes takes;
    std::string_view value;  // what stands for the value in the help: "N"
    std::string_view help;
};

struct Given {
    std::vector<std::string> values;
    std::string where;  // "--rows", "ULPGATE_ROWS", "ulpgate.toml:3"
};

struct ChangeRule {  // an entry [[changed]] of ulpgate.toml: a change of these paths concerns these subjects, or none
    std::vector<std::string> paths, subjects;
    std::string where;
};

class Arguments {
  public:
    std::vector<std::string> operands;
    std::vector<std::string> required;  // of ulpgate.toml: subjects whose skipping is fatal
    std::vector<ChangeRule> changed;    // of ulpgate.toml
    std::string home;                   // the folder of this program
    std::map<std::string, Given, std::less<>> given;

    bool has(std::string_view flag) const;
    std::string text(std::string_view flag, std::string_view otherwise = "") const;
    std::vector<std::string> list(std::string_view flag) const;
    // Whole numbers and numbers in range, or a UsageError that says where the value came from.
    std::int64_t integer(std::string_view flag, std::int64_t otherwise, std::int64_t lowest, std::int64_t highest) const;
    std::uint64_t word(std::string_view flag, std::uint64_t otherwise) const;
    double number(std::string_view flag, double otherwise, double lowest, double highest) const;
    std::string where(std::string_view flag) const;
};

struct Verb {
    std::string_view name;      // one word or two: "gate", "report eps"
    std::string_view operands;  // "SUBJECT...", for the help
    std::string_view what;      // one line
    std::string_view more;      // the rest of the help: meanings, examples, exit codes
    std::span<const Flag> flags;
    std::size_t least, most;    // number of operands
    int (*run)(const Arguments&);
};
inline constexpr std::size_t any_number = 1000000;

// Generated from the folder: every file here that holds a PIECE(Verb, ...).
std::span<const Verb* const> all();

// Flags that gate and its relatives share.
inline constexpr Flag color_flag{"color", Takes::one, "WHEN", "auto (default: on a terminal), always, never; NO_COLOR is honoured"};
inline constexpr Flag timeout_flag{"timeout", Takes::one, "SECONDS", "CPU time a call and thread (default 5); longer is `hung`"};
inline constexpr Flag child_env_flag{"child-env", Takes::several, "K=V", "environment of the kernel's process, e.g. for a sanitizer"};

// Did-you-mean: "" or ", did you mean 'nearest'?".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);
template <class Pieces>
std::vector<std::string> names_of(const Pieces& pieces) {
    std::vector<std::string> out;
    for (const auto* p : pieces) out.emplace_back(p->name);
    return out;
}

int run_program(int argc, const char* const* argv);

}  // namespace ulpgate::cli
