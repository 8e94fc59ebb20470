// Which subjects a change concerns: the [[changed]] entries of ulpgate.toml, held against the paths that `git diff --name-only` lists.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/cli/verb.hpp"

namespace ulpgate {
struct TomlValue;
}

namespace ulpgate::cli {

inline constexpr Flag changed_list_flag{"changed-list", Takes::one, "FILE",
                                        "only the subjects that these paths concern (git diff --name-only; - is stdin), by [[changed]] in ulpgate.toml"};

// As .gitignore has it: * and ? stop at a slash, ** does not; a pattern without a slash is a name at any depth; a folder stands for
// what is in it; a slash in front ties it to the root. Nothing else is special.
bool glob_matches(std::string_view pattern, std::string_view path);

// A path a line, or ended by NUL (git's -z); quoted as git quotes unusual ones, or not.
std::vector<std::string> read_paths(std::string_view content);

// The array `changed` of ulpgate.toml. Throws UsageError.
std::vector<ChangeRule> change_rules(const TomlValue&, std::string_view file);

struct Concerned {
    std::vector<std::string> subjects;  // each once, in the order of the rules
    std::vector<std::string> notes;     // paths that no rule knows, and why nothing is judged
    bool empty_list = false;            // no path at all: not the same as paths that concern no subject
};
// A path that no rule knows may concern any of them: all subjects of all rules.
Concerned concerned(const std::vector<ChangeRule>&, const std::vector<std::string>& paths, std::string_view list);

// Of --changed-list: nothing where it is not given. Throws UsageError.
std::optional<Concerned> concerned_by(const Arguments&);

}  // namespace ulpgate::cli
