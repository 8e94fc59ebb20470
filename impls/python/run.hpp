// Runs for Python: the same plan, judge and reports as the command line's, on the calling thread.
#pragma once
#include <nanobind/nanobind.h>

namespace ulpgate::python {

void bind_runs(nanobind::module_&);

}  // namespace ulpgate::python
