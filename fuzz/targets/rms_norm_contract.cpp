// One RMSNorm case: the outputs of a model that keeps to the case's contract, judged. No input may make the
// judge say that they are not allowed.
#include <fmt/format.h>

#include <span>

#include "fuzz/check/check.hpp"
#include "fuzz/codec/codec.hpp"
#include "properties/judge/judge.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FuzzCase f = decode_case({data, size});
    const Made made = make(f.input);
    check(made.error.empty(), "{} cannot be made: {}", print(f.input), made.error);
    Model model;
    const auto text = fmt::format("{},{}", name(f.input.claim[0].x), f.kept.model);
    check(!parse(text, model), "no model '{}'", text);
    Outcome outcome;
    outcome.out = model.run(made.tensors);
    const Judgement j = judge(made.tensors, outcome, f.input.claim);
    check(j.verdict == Verdict::pass || j.verdict == Verdict::mistrusted, "{} for {} of model/{}\n  {}\n  {}",
          name(j.verdict), print(f.input), text, j.what, j.reason);
    return 0;
}
