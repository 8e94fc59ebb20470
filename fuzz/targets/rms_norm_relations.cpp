// Two calls of a model that keeps to its contract, the second with changed inputs: no relation between them may be broken.
#include "fuzz/check/check.hpp"
#include "fuzz/codec/codec.hpp"
#include "properties/relations/relation.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FuzzCase f = decode_case({data, size});
    const auto all = relations::all();
    const Relation& relation = *all[size ? data[size - 1] % all.size() : 0];
    const Contract& c = f.input.claim[0];
    if (c.map == Map::none || !relation.applies(c)) return 0;
    const Made made = make(f.input);
    check(made.error.empty(), "{} cannot be made: {}", print(f.input), made.error);
    Model model;
    check(!parse(f.model, model), "no model '{}'", f.model);
    const auto run = [&](const Tensors& t) {
        Outcome o;
        o.out = model.run(t);
        return o;
    };
    const Checked r = ulpgate::check(relation, made.tensors, f.input.claim, run, f.input.seed);
    check(r.held != Held::broken, "{} broken by model/{} on {}: {}", relation.name, f.model, print(f.input), r.what);
    return 0;
}
