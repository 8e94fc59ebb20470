// What changed between two runs, in words: of gate (ulpgate.run/1) or of explain (ulpgate.explain/1).
#pragma once
#include <string>
#include <vector>

namespace ulpgate {

struct Change {
    enum class Kind { same, better, other, worse };  // other: neither, but worth a line
    Kind kind = Kind::same;
    std::string result;  // "scalar q_a_layernorm bf16 cast_first"
    std::vector<std::string> words;
};

struct Diff {
    std::string error;  // "" or what is unreadable, where, and what to do
    std::vector<Change> changes;  // one a result that is in either
    bool worse = false;
};

// Text of the two files, and what to call them in messages.
Diff diff_runs(std::string_view before, const std::string& before_name, std::string_view after, const std::string& after_name);
std::string diff_text(const Diff&, const std::string& before_name, const std::string& after_name);

}  // namespace ulpgate
