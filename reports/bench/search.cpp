#include <fmt/format.h>

#include <array>
#include <memory>

#include "fuzz/codec/codec.hpp"
#include "fuzz/search/bytes.hpp"
#include "fuzz/search/climb.hpp"
#include "impls/subject/in_process.hpp"
#include "properties/judge/judge.hpp"
#include "reference/base/rng.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

constexpr std::size_t batch = 256;

// A kernel in this process, with a row that is run again and again.
struct Fuzzed {
    Fuzzed(const std::string& home, const std::string& kernel, std::int64_t d) {
        SubjectOptions options;
        options.home = home;
        subject = open_in_process(kernel, options);
        if (const auto o = subject->start(); o.event != Event::ok) throw std::runtime_error(o.what);
        search = std::make_unique<fuzzing::ByteSearch>(*subject, d);
        if (!search->error().empty()) throw std::runtime_error(search->error());
        climb = std::make_unique<fuzzing::Climb>(search->row(), search->shape(), 7, 0, false);
        Rng r(7, 0xbe, 0);
        for (auto& one : inputs) {
            one.resize(96);
            for (auto& b : one) b = static_cast<std::uint8_t>(r.below(256));
        }
    }
    std::unique_ptr<Subject> subject;
    std::unique_ptr<fuzzing::ByteSearch> search;
    std::unique_ptr<fuzzing::Climb> climb;
    std::array<std::vector<std::uint8_t>, batch> inputs;
};

void judged(Fuzzed& f, const std::vector<Claim>& claims) {
    for (const auto& one : f.inputs) {
        const FuzzCase c = decode_case(one, claims);
        const Made made = make(c.input);
        if (judge(made.tensors, f.subject->run(0, made.tensors), c.input.claim).verdict == Verdict::inadmissible) throw std::runtime_error(print(c.input));
    }
}

enum class Way { climb, bytes, judged };

Cell cell(const std::string& home, const std::string& kernel, Way way) {
    Cell c{"Mcases/s", {}, {}, ""};
    try {
        const auto f = std::make_shared<Fuzzed>(home, kernel, 1536);
        const auto bare = std::make_shared<Fuzzed>(home, kernel, 1536);
        if (way == Way::climb) c.subject = {"hill climbing", [f] { for (std::size_t k = 0; k < batch; ++k) f->climb->step(); }, batch};
        if (way == Way::bytes) c.subject = {"libFuzzer's target", [f] { for (const auto& one : f->inputs) (*f->search)(one); }, batch};
        if (way == Way::judged) {
            std::vector<Claim> claims(1);
            if (parse(f->subject->entries().at(0).contract, claims[0])) throw std::runtime_error("its first entry has no contract");
            c.subject = {"any case, judged", [f, claims] { judged(*f, claims); }, batch};
        }
        c.peers.push_back({"bare kernel call", 0, {{"1,536 columns", [bare] { for (std::size_t k = 0; k < batch; ++k) bare->search->row().bare_call(); }, batch}}});
    } catch (const std::exception& e) {
        c.why_skipped = e.what();
    }
    return c;
}

void cells(const Request& request, const Measure& measure) {
    constexpr std::array<std::pair<const char*, Way>, 3> ways{{{"climb", Way::climb}, {"libfuzzer", Way::bytes}, {"judged", Way::judged}}};
    for (const char* kernel : {"avx2", "byhand/rsqrt_newton"})
        for (const auto& [name, run] : ways) {
            const bool newton = std::string_view(kernel) != "avx2";
            if ((newton && (run == Way::judged || request.quick))) continue;
            measure(fmt::format("search/{}/{}", name, newton ? "rsqrt_newton" : kernel), [=, way = run, &request] { return cell(request.home, kernel, way); });
        }
}

}  // namespace

PIECE(Group, search) = {"search", "cases a second at 1,536 columns, one thread, beside the kernel alone: hill climbing, one libFuzzer input, any case judged", 6, cells};

}  // namespace ulpgate::bench
