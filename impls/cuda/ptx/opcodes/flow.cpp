// Branches, exits, barriers of the block, and what changes nothing here: hints and fences (one block runs at a time, and
// memory is in order).
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

void nothing(Warp&, const Instruction&, const Mask&) {}
void trap(Warp& w, const Instruction& i, const Mask& m) { fault(w, i, std::countr_zero(m.bits), "trap"); }

void add(OpcodeTable& t) {
    t.add("bra bra.uni", {{{Slot::Is::label}}, nullptr, Flow::branch});
    t.add("ret ret.uni exit", {{}, nullptr, Flow::leave});
    const Slot number{Slot::Is::reg, 32}, count{Slot::Is::reg, 32, 1, false, false, false, true};
    t.add("bar.sync barrier.sync barrier.sync.aligned barrier.cta.sync barrier.cta.sync.aligned", {{number, count}, nullptr, Flow::barrier});
    t.add("griddepcontrol.wait griddepcontrol.launch_dependents membar.cta membar.gl fence.acq_rel.cta fence.acq_rel.gpu fence.sc.gpu", {{}, nothing});
    t.add("trap", {{}, trap});
}

}  // namespace

PIECE(ptx::OpcodeGroup, flow) = {"branches and barriers", add};

}  // namespace ulpgate::opcodes
