// A Python callable behind the C ABI. What it is called with: call(inputs, outputs, eps, width), inputs and outputs by tensor name, each a
// Memory: a DLPack exporter over the harness's own memory.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "impls/subject/here.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate::python {

namespace nb = nanobind;

class Function {
  public:
    // refused: the exception classes that mean ULPGATE_REFUSED. contracts: one an entry.
    Function(nb::object call, nb::object refused, std::vector<std::string> contracts, std::string name, std::string version);
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;

    const ulpgate_descriptor& descriptor() const { return descriptor_; }
    const std::string& why() const { return why_; }  // of the last call that failed: "ValueError: ..."
    HereKernel here(unsigned mxcsr) const;

    // For Python's collector: a callable may know, through its module, the report that knows it.
    int visit(visitproc visitor, void* argument) const;
    void clear();

  private:
    static int rmsnorm(const ulpgate_rmsnorm*);
    int call(const ulpgate_rmsnorm&);

    nb::object call_, refused_;
    std::vector<std::string> contracts_;
    std::string name_, version_, why_;
    std::vector<ulpgate_entry> entries_;
    ulpgate_descriptor descriptor_{};
};

}  // namespace ulpgate::python
