// The files that a run is written into beside its table: one flag a format, shared by gate and report.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "reports/cli/verb.hpp"
#include "reports/result/result.hpp"

namespace ulpgate::cli {

inline constexpr Flag json_flag{"json", Takes::one, "FILE", "the result as JSON (ulpgate.run/1); - is stdout, the table then goes to stderr"};
inline constexpr Flag junit_flag{"junit", Takes::one, "FILE", "the same as JUnit XML"};
inline constexpr Flag markdown_flag{"markdown", Takes::one, "FILE", "the same as Markdown: a step summary, a comment on a pull request"};
inline constexpr Flag sarif_flag{"sarif", Takes::one, "FILE", "failures as SARIF 2.1.0"};
inline constexpr Flag html_flag{"html", Takes::one, "FILE", "one page of its own: verdict, plots, failures; nothing is loaded from elsewhere"};
inline constexpr Flag annotations_flag{"annotations", Takes::one, "github", "failures as workflow commands on stdout, after the table"};

class Outputs {
  public:
    // Reads the flags; a UsageError where two of them want stdout or the annotations are of an unknown kind.
    explicit Outputs(const Arguments&);
    // Where the table goes: stderr if a file is stdout.
    std::FILE* people() const { return to_stdout_ ? stderr : stdout; }
    // What goes to stdout now, each file under a temporary name and then renamed. A UsageError names every file that could not be
    // written, after all others were.
    void write(const Result&) const;
    bool any() const { return !files_.empty() || annotations_; }

  private:
    struct File {
        std::string_view flag;
        std::string path;
        std::string (*render)(const Result&);
    };
    std::vector<File> files_;
    bool to_stdout_ = false, annotations_ = false;
};

}  // namespace ulpgate::cli
