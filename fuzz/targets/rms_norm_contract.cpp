// One RMSNorm case, judged. Without ULPGATE_SUBJECT: the outputs of a model that keeps to the case's contract; no input may make
// the judge say that they are not allowed. ULPGATE_SUBJECT=TEXT: that kernel, in this process, held to what it claims: a
// finding of its own is a crash with the case's line. Built with -fsanitize=fuzzer-no-link, its branches steer the fuzzer.
#include "fuzz/check/check.hpp"
#include "fuzz/chosen/chosen.hpp"
#include "fuzz/codec/codec.hpp"
#include "fuzz/record/record.hpp"
#include "properties/judge/judge.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

static void judged(const Case& c, const Made& made, const Outcome& outcome, const std::string& who) {
    const Judgement j = judge(made.tensors, outcome, c.claim);
    fuzzing::record(0, j.measure.worst_r_ulp32);
    fuzzing::record(1, j.measure.worst_ulp);
    check(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted || j.verdict == Verdict::unsupported || j.verdict == Verdict::refused,
          "{} for {} of {}\n  {}\n  {}", name(j.verdict), print(c), who, j.what, j.reason);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* kernel = fuzzing::chosen_kernel(Abi::rmsnorm, "RMSNorm");
    const FuzzCase f = decode_case({data, size}, fuzzing::claims_of(kernel));
    const Made made = make(f.input);
    check(made.error.empty(), "{} cannot be made: {}", print(f.input), made.error);
    if (kernel) {
        judged(f.input, made, kernel->run(f.input.claim, made.tensors), kernel->subject->text());
        return 0;
    }
    Outcome outcome;
    Model model;
    check(!parse(f.model, model), "no model '{}'", f.model);
    outcome.out = model.run(made.tensors);
    judged(f.input, made, outcome, "model/" + f.model);
    return 0;
}
