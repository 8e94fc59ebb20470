// A fault is one changed piece of a model. One small file each; `fix` is what a kernel author reads.
#pragma once
#include <string_view>

#include "reference/model/model.hpp"

namespace ulpgate {

struct Fault {
    std::string_view kind;   // "eps.outside"; the file is eps_outside.cpp
    Stage stage;
    std::string_view line;   // the changed line, as a formula
    std::string_view param;  // name of the parameter, "" without one
    std::string_view fix;    // what to change
    double (*default_param)(std::int64_t d);
    void (*change)(Model&);
};

namespace faults {
std::span<const Fault* const> all();
}
const Fault* find_fault(std::string_view kind);

}  // namespace ulpgate
