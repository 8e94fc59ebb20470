#include "reference/ops/op.hpp"

namespace ulpgate {

const Op* find_op(std::string_view name) {
    for (const Op* o : ops::all())
        if (o->name == name) return o;
    return nullptr;
}

}  // namespace ulpgate
