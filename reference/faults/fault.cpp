#include "reference/faults/fault.hpp"

namespace ulpgate {

const Fault* find_fault(std::string_view kind) {
    for (const Fault* f : faults::all())
        if (f->kind == kind) return f;
    return nullptr;
}

void apply(const Fault& f, Model& m, double p) {
    f.change(m);
    m.fault = f.kind;
    m.p = p;
    m.default_p = f.default_param;
}

}  // namespace ulpgate
