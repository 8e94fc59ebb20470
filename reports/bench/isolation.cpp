#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "impls/subject/direct.hpp"
#include "impls/subject/subject.hpp"
#include "reports/bench/case_tensors.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

// A run in isolation makes two calls, one more where the entry may work in place as well, and one more where it claims that no row
// depends on the batch: what it takes beside as many bare ones is what it costs. CPU time of both processes: on a machine with other work, waiting for the child to be scheduled would count.
struct Isolated {
    SubjectOptions options;
    std::unique_ptr<Subject> subject;
    std::unique_ptr<DirectKernel> bare;
    Tensors tensors;
    std::size_t entry = 0;
    int calls = 2;
    double elsewhere = 0;
    void run() {
        const auto o = subject->run(entry, tensors);
        if (o.event != Event::ok) throw std::runtime_error(o.what);
        elsewhere += o.cpu_seconds;
    }
};

Cell cell(const std::string& home, const std::string& kernel, std::size_t rows, std::size_t d) {
    Cell c{"Melem/s", {}, {}, ""};
    const std::string library = DirectKernel::library_of(home, kernel);
    if (library.empty()) {
        c.why_skipped = "not a library that can be called bare";
        return c;
    }
    auto i = std::make_shared<Isolated>();
    i->options.home = home;
    i->subject = open_subject(kernel, i->options);
    if (const auto o = i->subject->start(); o.event != Event::ok) {
        c.why_skipped = o.what;
        return c;
    }
    const auto& entries = i->subject->entries();
    if (std::none_of(entries.begin(), entries.end(), [](const EntryInfo& e) { return e.abi == Abi::rmsnorm; })) {
        c.why_skipped = "no RMSNorm among its entries";
        return c;
    }
    i->bare = std::make_unique<DirectKernel>(library);
    i->tensors = case_tensors(Type::bf16, rows, d);
    i->entry = cast_first_entry(i->bare->contracts(), Type::bf16);
    i->bare->prepare(i->entry, i->tensors);
    Claim claim;
    parse(i->bare->contracts()[i->entry], claim);
    const bool in_place = claim.at(0).inplace == InPlace::may, batch = rows >= 256 && claim.at(0).holds.find("batch") != std::string::npos;
    i->calls = 2 + in_place + batch;
    const double work = i->calls * static_cast<double>(rows * d);
    c.subject = {"isolated", [i] { i->run(); }, work, &i->elsewhere};
    c.peers.push_back({"as many bare calls", 1 / 1.15, {{fmt::format("{} calls", i->calls), [i] { for (int k = 0; k < i->calls; ++k) i->bare->call(); }, work}}});
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const auto& kernel : built_in_subjects(request.home))
        measure(fmt::format("isolation/{}/bf16/7168", kernel), [&] { return cell(request.home, kernel, request.quick ? 4 : 256, 7168); });
}

}  // namespace

PIECE(Group, isolation) = {"isolation", "a kernel run between guards in its own process, 256 rows; 0.87 is 15 % over the bare calls", 4, cells};

}  // namespace ulpgate::bench
