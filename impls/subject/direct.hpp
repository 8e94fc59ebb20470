// A kernel called in this process, without guards: what isolation is measured against. Only for kernels that are trusted.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "reference/tensors/tensors.hpp"

namespace ulpgate {

class DirectKernel {
  public:
    // library: a file; variant: what ulpgate_describe is given, "" for a null pointer. Throws std::runtime_error, in words, where it
    // does not load or cannot run here.
    explicit DirectKernel(const std::string& library, const std::string& variant = "");
    ~DirectKernel();

    // The file of a built-in kernel by its name ("avx2"); "" where there is none.
    static std::string library_of(const std::string& home, const std::string& name);

    // The contracts of the entries, in their order.
    std::vector<std::string> contracts() const;
    bool projects(std::size_t entry) const;  // a head rather than an mla_query

    // One call on memory of its own: prepare copies the inputs and allocates the outputs, call may be repeated.
    void prepare(std::size_t entry, const Tensors&);
    int call();  // the kernel's status
    void* data(std::string_view tensor);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ulpgate
