// A small case of the query path (hidden 64, rank 16, 2 heads, and shapes about them) or of the head, judged as the gate does it.
// Without ULPGATE_SUBJECT: the outputs of a model that keeps to the contract, whatever its orders; no input may make the judge say
// that they are not allowed. ULPGATE_SUBJECT=TEXT: that kernel, in this process, held to what it claims.
#include "fuzz/check/check.hpp"
#include "fuzz/chosen/chosen.hpp"
#include "fuzz/query/query_case.hpp"
#include "fuzz/record/record.hpp"
#include "properties/judge/query_judge.hpp"

using namespace ulpgate;
using fuzzing::check;

static void judged(const QueryFuzzCase& f, const Made& made, const Outcome& outcome, const std::string& who) {
    const Judgement j = judge(made.tensors, outcome, f.input.claim);
    fuzzing::record(0, j.measure.worst_ulp);
    for (const QueryStage& s : j.stages) fuzzing::record(1, s.width);
    check(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted || j.verdict == Verdict::unsupported || j.verdict == Verdict::refused,
          "{} for {} of {}\n  {}\n  {}", name(j.verdict), f.text(), who, j.what, j.reason);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* kernel = fuzzing::chosen_kernel(Abi::mla_query, "mla_query");
    const QueryFuzzCase f = decode_query_case({data, size}, fuzzing::claims_of(kernel));
    const Made made = f.make();
    check(made.error.empty(), "{} cannot be made: {}", f.text(), made.error);
    if (kernel) {
        judged(f, made, kernel->run(f.input.claim, made.tensors), kernel->subject->text());
        return 0;
    }
    Outcome outcome;
    outcome.out = QueryPath(made.tensors, f.model).run();
    judged(f, made, outcome, "model/" + print(f.model.contract));
    return 0;
}
