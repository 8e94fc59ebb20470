#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

// A folder that a run writes into, and the CPU seconds of the processes that ran there.
struct Place {
    std::string path;
    double elsewhere = 0;
    Place() {
        std::string name = (std::filesystem::temp_directory_path() / "ulpgate_bench_XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error(name + ": cannot be made");
        path = name;
    }
    Place(const Place&) = delete;
    ~Place() { std::filesystem::remove_all(path); }
};

double children() {
    rusage u{};
    ::getrusage(RUSAGE_CHILDREN, &u);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
    return seconds(u.ru_utime) + seconds(u.ru_stime);
}

void gate(const std::string& home, Place& place, bool quick, bool outputs) {
    std::string command = fmt::format("cd '{}' && '{}/ulpgate' gate scalar{}", place.path, home, quick ? " --op q_a_layernorm --d 64 --rows 2 --type bf16 --profile gaussian" : " --quick");
    if (outputs) command += " --json r.json --junit r.xml --markdown r.md --sarif r.sarif --html r.html --annotations github";
    const double before = children();
    const int status = std::system((command + " >out.txt 2>err.txt").c_str());
    place.elsewhere += children() - before;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(command + ": failed");
}

Cell cell(const Request& request) {
    Cell c{"runs/s", {}, {}, ""};
    const auto place = std::make_shared<Place>();
    const auto side = [&](std::string name, bool outputs) {
        return Side{std::move(name), [place, home = request.home, quick = request.quick, outputs] { gate(home, *place, quick, outputs); }, 1e6, &place->elsewhere};
    };
    c.subject = side("with every output", true);
    c.peers.push_back({"the run alone", 1 / 1.05, {side("no output", false)}});
    return c;
}

void cells(const Request& request, const Measure& measure) {
    measure("outputs/gate", [&] { return cell(request); });
}

}  // namespace

PIECE(Group, outputs) = {"outputs", "a quick gate of one kernel that writes JSON, JUnit, Markdown, SARIF, HTML and annotations; 0.95 is 5 % over the run alone", 6, cells};

}  // namespace ulpgate::bench
