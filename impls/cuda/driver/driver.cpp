#include "impls/cuda/driver/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace ulpgate::cuda {
namespace {

constexpr int compute_capability_major = 75, compute_capability_minor = 76;  // CUdevice_attribute
constexpr int max_dynamic_shared = 8;                                        // CUfunction_attribute
constexpr std::uint32_t shared_without_asking = 48 << 10;
// The keys of cuLaunchKernel's `extra`.
void* const parameter_pointer = reinterpret_cast<void*>(1);
void* const parameter_size = reinterpret_cast<void*>(2);

}  // namespace

template <class F>
F* Driver::entry(const char* name) const {
    auto* f = reinterpret_cast<F*>(dlsym(library_, name));
    if (!f) throw DriverError(fmt::format("the driver library has no {}: too old", name));
    return f;
}

void Driver::check(int result, const char* what) const {
    if (!result) return;
    const char* name = nullptr;
    if (auto* f = reinterpret_cast<int (*)(int, const char**)>(dlsym(library_, "cuGetErrorName"))) f(result, &name);
    throw DriverError(fmt::format("{}: {} ({})", what, name ? name : "an error without a name", result));
}

#define CALL(symbol, Parameters, ...) check(entry<int Parameters>(symbol)(__VA_ARGS__), symbol)

Driver& Driver::get() {
    static Driver driver;
    return driver;
}

Driver::Driver() {
    try {
        unavailable_ = open();
    } catch (const DriverError& e) {
        unavailable_ = e.what();
    }
}

std::string Driver::open() {
    const char* given = std::getenv("ULPGATE_CUDA_DRIVER");
    library_ = dlopen(given && *given ? given : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library_) return std::string("no CUDA driver: ") + dlerror();
    CALL("cuInit", (unsigned), 0);
    int count = 0;
    CALL("cuDeviceGetCount", (int*), &count);
    if (!count) return "the CUDA driver shows no device";
    CALL("cuDriverGetVersion", (int*), &version_);
    CALL("cuDeviceGet", (int*, int), &device_, 0);
    char name[256] = "";
    CALL("cuDeviceGetName", (char*, int, int), name, sizeof name, device_);
    card_ = name;
    CALL("cuDeviceGetAttribute", (int*, int, int), &major_, compute_capability_major, device_);
    CALL("cuDeviceGetAttribute", (int*, int, int), &minor_, compute_capability_minor, device_);
    void* context = nullptr;
    CALL("cuDevicePrimaryCtxRetain", (void**, int), &context, device_);
    CALL("cuCtxSetCurrent", (void*), context);
    CALL("cuStreamCreate", (void**, unsigned), &stream_, 0);
    return "";
}

std::string Driver::arch() const { return fmt::format("sm_{}{}", major_, minor_); }

Address Driver::allocate(std::uint64_t bytes) {
    Address a = 0;
    CALL("cuMemAlloc_v2", (Address*, std::size_t), &a, bytes);
    return a;
}
void Driver::release(Address a) { CALL("cuMemFree_v2", (Address), a); }
void Driver::copy_in(Address to, const void* from, std::uint64_t bytes) { CALL("cuMemcpyHtoD_v2", (Address, const void*, std::size_t), to, from, bytes); }
void Driver::copy_out(void* to, Address from, std::uint64_t bytes) { CALL("cuMemcpyDtoH_v2", (void*, Address, std::size_t), to, from, bytes); }
void Driver::fill(Address a, std::uint8_t value, std::uint64_t bytes) { CALL("cuMemsetD8_v2", (Address, unsigned char, std::size_t), a, value, bytes); }
void Driver::synchronize() { CALL("cuStreamSynchronize", (void*), stream_); }

void* Driver::load(const void* image) {
    void* module = nullptr;
    CALL("cuModuleLoadData", (void**, const void*), &module, image);
    return module;
}
void* Driver::function(void* module, const std::string& name) {
    void* f = nullptr;
    CALL("cuModuleGetFunction", (void**, void*, const char*), &f, module, name.c_str());
    return f;
}

void Driver::launch(void* function, Dimensions grid, Dimensions block, std::uint32_t dynamic_shared, std::span<const std::uint8_t> parameters) {
    if (dynamic_shared > shared_without_asking)
        CALL("cuFuncSetAttribute", (void*, int, int), function, max_dynamic_shared, static_cast<int>(dynamic_shared));
    std::size_t size = parameters.size();
    void* extra[] = {parameter_pointer, const_cast<std::uint8_t*>(parameters.data()), parameter_size, &size, nullptr};
    CALL("cuLaunchKernel", (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**), function, grid.x, grid.y,
         grid.z, block.x, block.y, block.z, dynamic_shared, stream_, nullptr, static_cast<void**>(extra));
}

#undef CALL

}  // namespace ulpgate::cuda
