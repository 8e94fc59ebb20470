#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "reports/cli/arguments.hpp"

namespace ulpgate::cli {
namespace {

std::string overview() {
    std::string s =
        "ulpgate: whether an RMSNorm kernel computes what its contract says. No tolerance: an output is one that the contract\n"
        "allows, or the element, the arithmetic that reproduces it and the command that replays it are printed.\n\n";
    std::vector<const Verb*> verbs(all().begin(), all().end());
    std::sort(verbs.begin(), verbs.end(), [](auto* a, auto* b) { return a->name < b->name; });
    for (const Verb* v : verbs) s += fmt::format("  {:<8} {:<16} {}\n", v->name, v->operands, v->what);
    s += "\nulpgate VERB --help says more. Flags also come from ULPGATE_<FLAG> and from ./ulpgate.toml, in this order.\n"
         "Exit: 0 within contract and budget, 1 not, 2 usage or unreadable input, 3 the harness failed or a replay's input hash\n"
         "differs, 4 a subject did not load, crashed or hung, 5 nothing was tested or something required was skipped,\n"
         "6 mistrusted and nothing else tested that op and type, 130 interrupted.\n";
    return s;
}

// A verb's name is one word or two ("report eps"), two where they are one; `words` is left with what follows.
const Verb& take_verb(std::vector<std::string>& words) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{1}}) {
        if (words.size() < n) continue;
        const auto name = n == 2 ? words[0] + " " + words[1] : words[0];
        for (const Verb* v : all())
            if (v->name == name) {
                words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
                return *v;
            }
    }
    std::string longer;  // words that only begin a verb
    for (const Verb* v : all())
        if (v->name.starts_with(words[0] + " ")) longer += fmt::format("{}{}", longer.empty() ? "" : ", ", v->name);
    if (!longer.empty()) throw UsageError(fmt::format("'{}' needs another word: {}", words[0], longer));
    throw UsageError(fmt::format("unknown verb '{}'{}; see ulpgate --help", words[0], did_you_mean(words[0], names_of(all()))));
}

int dispatch(std::vector<std::string> words) {
    if (words.empty()) {
        fmt::print(stderr, "{}", overview());
        return 2;
    }
    if (words[0] == "-h" || words[0] == "--help" || words[0] == "help") {
        words.erase(words.begin());
        fmt::print("{}", words.empty() ? overview() : help_of(take_verb(words)));
        return 0;
    }
    if (words[0] == "--version") {
        fmt::print("ulpgate {}\n", ULPGATE_VERSION);
        return 0;
    }
    const Verb& verb = take_verb(words);
    std::string help;
    auto a = parse_arguments(verb, words, help);
    if (!a) {
        fmt::print("{}", help);
        return 0;
    }
    a->home = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    for (const auto& note : add_settings(verb, *a)) fmt::print(stderr, "ulpgate: {}\n", note);
    return verb.run(*a);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
    try {
        return dispatch({argv + 1, argv + argc});
    } catch (const UsageError& e) {
        std::fprintf(stderr, "ulpgate: %s\n", e.what());  // not fmt::print: it throws where stderr cannot be written
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ulpgate: the harness itself failed: %s\n", e.what());
        return 3;
    }
}

}  // namespace ulpgate::cli
