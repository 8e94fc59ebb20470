#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "impls/python/function.hpp"
#include "impls/python/memory.hpp"
#include "impls/python/run.hpp"
#include "impls/subject/child.hpp"

namespace {

namespace nb = nanobind;
using ulpgate::python::Function;

// load() -> Function, once signals are caught: what an import does to the process is the subject's doing. GIL held throughout.
int serve(const nb::callable& load) {
    static Function* served;
    return ulpgate::child::serve([&]() -> ulpgate::child::Loaded {
        try {
            served = nb::cast<Function*>(load().release());  // until the process ends
            return {&served->descriptor(), "", [] { return served->why().c_str(); }};
        } catch (nb::python_error& e) {
            const auto name = nb::cast<std::string>(e.type().attr("__name__"));
            return {nullptr, name + ": " + nb::str(e.value()).c_str()};
        }
    });
}

}  // namespace

NB_MODULE(_core, m) {
    ulpgate::python::bind_memory(m);
    ulpgate::python::bind_runs(m);
    m.def("serve", &serve);
}
