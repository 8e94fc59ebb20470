// A kernel module in the test's own process: for kernels that the tests trust not to crash.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "impls/ulpgate_kernel.h"

namespace ulpgate::testing {

struct Module {
    std::string name;  // "avx512/avx512_portable"
    const ulpgate_descriptor* descriptor = nullptr;
    std::string error;

    // Loaded once and kept: a kernel may leave threads and their handlers behind.
    explicit Module(std::string which) : name(std::move(which)) {
        const std::string path = ULPGATE_HOME "/kernels/" + name + ".so";
        void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            error = dlerror();
            return;
        }
        const auto symbol = dlsym(handle, "ulpgate_describe");
        if (!symbol) {
            error = path + " exports no ulpgate_describe";
            return;
        }
        descriptor = reinterpret_cast<const ulpgate_descriptor* (*)(const char*)>(symbol)(nullptr);
        if (!descriptor) error = path + " describes nothing";
    }
    std::span<const ulpgate_entry> entries() const { return {descriptor->entries, descriptor->entry_count}; }
};

// Fails when the module does not load, skips with its own reason where the CPU cannot run it.
#define LOAD_OR_SKIP(module)       \
    ASSERT_EQ((module).error, ""); \
    if ((module).descriptor->unavailable) GTEST_SKIP() << (module).descriptor->unavailable

}  // namespace ulpgate::testing
