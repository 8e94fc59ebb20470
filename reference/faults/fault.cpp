#include "reference/faults/fault.hpp"

namespace ulpgate {

const Fault* find_fault(std::string_view kind) {
    for (const Fault* f : faults::all())
        if (f->kind == kind) return f;
    return nullptr;
}

}  // namespace ulpgate
