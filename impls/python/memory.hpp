// A tensor of the harness as Python sees it, and what a callable gave back.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>

#include "impls/ulpgate_kernel.h"

namespace ulpgate::python {

namespace nb = nanobind;

class Memory {
  public:
    // keep: what holds the memory, for as long as anything made of it lives.
    Memory(std::string name, const ulpgate_tensor& t, std::shared_ptr<void> keep) : name_(std::move(name)), tensor_(t), keep_(std::move(keep)) {}

    const std::string& name() const { return name_; }
    std::string type() const;  // "bfloat16", "float16", "float32", "float8_e4m3fn", "int8"
    nb::ndarray<> dlpack() const;            // bfloat16 as such: torch, JAX and others read it
    nb::ndarray<nb::numpy> words() const;    // its words, unsigned: what NumPy's own DLPack cannot say
    // Copies a result in: a tensor on the CPU of this type and shape, any strides. A TypeError or ValueError that says what is
    // wrong with it.
    void store(nb::ndarray<nb::ro> from) const;
    void store_words(nb::ndarray<nb::ro> from) const;  // the same of words, where NumPy holds the type

  private:
    void copy(const nb::ndarray<nb::ro>& from) const;
    nb::capsule owner() const;

    std::string name_;
    ulpgate_tensor tensor_;
    std::shared_ptr<void> keep_;
};

void bind_memory(nb::module_&);

}  // namespace ulpgate::python
