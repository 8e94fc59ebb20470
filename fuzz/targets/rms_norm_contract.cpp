// One RMSNorm case, judged. Without ULPGATE_SUBJECT: the outputs of a model that keeps to the case's contract; no input may make
// the judge say that they are not allowed. ULPGATE_SUBJECT=TEXT: that kernel, in this process, held to what it claims: a
// finding of its own is a crash with the case's line. Built with -fsanitize=fuzzer-no-link, its branches steer the fuzzer.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "fuzz/check/check.hpp"
#include "fuzz/codec/codec.hpp"
#include "fuzz/record/record.hpp"
#include "impls/subject/in_process.hpp"
#include "properties/judge/judge.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

namespace {

struct Kernel {
    std::unique_ptr<Subject> subject;
    std::vector<Claim> claims;         // of its RMSNorm entries
    std::vector<std::size_t> entries;  // which these are
};

const Kernel* chosen() {
    static const std::unique_ptr<Kernel> kernel = []() -> std::unique_ptr<Kernel> {
        const char* text = std::getenv("ULPGATE_SUBJECT");
        if (!text || !*text) return nullptr;
        SubjectOptions options;
        const char* home = std::getenv("ULPGATE_HOME");
        options.home = home ? home : std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
        auto k = std::make_unique<Kernel>();
        k->subject = open_in_process(text, options);
        const Outcome started = k->subject->start();
        check(started.event == Event::ok, "ULPGATE_SUBJECT={}: {}", text, started.what);
        for (std::size_t e = 0; e < k->subject->entries().size(); ++e) {
            Claim c;
            if (k->subject->entries()[e].abi != Abi::rmsnorm || parse(k->subject->entries()[e].contract, c)) continue;
            k->claims.push_back(std::move(c));
            k->entries.push_back(e);
        }
        check(!k->claims.empty(), "ULPGATE_SUBJECT={}: no RMSNorm entry", text);
        return k;
    }();
    return kernel.get();
}

void judged(const Case& c, const Made& made, const Outcome& outcome, const std::string& who) {
    const Judgement j = judge(made.tensors, outcome, c.claim);
    fuzzing::record(0, j.measure.worst_r_ulp32);
    fuzzing::record(1, j.measure.worst_ulp);
    check(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted || j.verdict == Verdict::unsupported || j.verdict == Verdict::refused,
          "{} for {} of {}\n  {}\n  {}", name(j.verdict), print(c), who, j.what, j.reason);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Kernel* kernel = chosen();
    const FuzzCase f = decode_case({data, size}, kernel ? std::span<const Claim>(kernel->claims) : std::span<const Claim>{});
    const Made made = make(f.input);
    check(made.error.empty(), "{} cannot be made: {}", print(f.input), made.error);
    Outcome outcome;
    if (kernel) {
        const auto at = static_cast<std::size_t>(std::find(kernel->claims.begin(), kernel->claims.end(), f.input.claim) - kernel->claims.begin());
        judged(f.input, made, kernel->subject->run(kernel->entries[at], made.tensors), kernel->subject->text());
        return 0;
    }
    Model model;
    check(!parse(f.model, model), "no model '{}'", f.model);
    outcome.out = model.run(made.tensors);
    judged(f.input, made, outcome, "model/" + f.model);
    return 0;
}
