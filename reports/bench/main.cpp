// ulpgate-bench [--filter TEXT] [--json FILE] [--quick]: run by `ulpgate bench`, which explains the flags. A program of its own, so
// that the command line builds without Google Benchmark and MPFR.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "reference/base/file.hpp"
#include "reports/bench/report.hpp"

namespace ulpgate::bench {
namespace {

struct Usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

int run(const std::vector<std::string>& words) {
    Request request;
    std::string json;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto value = [&] {
            if (k + 1 == words.size() || words[k + 1].empty()) throw Usage(words[k] + " needs a value");
            return words[++k];
        };
        if (words[k] == "--quick") request.quick = true;
        else if (words[k] == "--filter") request.filter = value();
        else if (words[k] == "--json") json = value();
        else throw Usage("unknown word '" + words[k] + "'; see ulpgate bench --help");
    }
    request.home = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    const BenchContext context = bench_context(request.quick);
    std::FILE* people = json == "-" ? stderr : stdout;
    std::vector<CellResult> all_results;
    std::vector<const Group*> groups(all().begin(), all().end());
    std::sort(groups.begin(), groups.end(), [](auto* a, auto* b) { return a->order < b->order; });
    fmt::print(people, "{}", table_head(context));
    std::string names;
    for (const Group* g : groups)
        g->cells(request, [&](const std::string& name, const std::function<Cell()>& make) {
            names += " " + name;
            if (!request.wanted(name)) return;
            all_results.push_back(measure(name, make(), request.quick));
            fmt::print(people, "{}", table_line(all_results.back()));
            std::fflush(people);
        });
    if (all_results.empty()) throw Usage("no cell has '" + request.filter + "' in its name; there are" + names);
    fmt::print(people, "{}", floors_text(all_results));
    if (json == "-") fmt::print("{}", to_json(context, all_results));
    else if (!json.empty())
        if (auto e = write_file(json, to_json(context, all_results)); !e.empty()) throw Usage(e);
    return 0;
}

}  // namespace
}  // namespace ulpgate::bench

int main(int argc, char** argv) {
    try {
        return ulpgate::bench::run({argv + 1, argv + argc});
    } catch (const ulpgate::bench::Usage& e) {
        std::fprintf(stderr, "ulpgate bench: %s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ulpgate bench: failed: %s\n", e.what());
        return 3;
    }
}
