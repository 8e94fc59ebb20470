// A CUDA driver for tests: device memory is the host's, a module's image is PTX text, a launch is the executor's. It checks what
// it is given as a driver does. STUB_FAIL=cuMemAlloc_v2=2 makes that entry return that code, STUB_FAIL=cuLaunchKernel=1@3 at
// its third call; STUB_DEVICES, STUB_ARCH (90) say what there is; STUB_DAMAGE=N,OFFSET flips a bit of the byte at the launch's
// N-th eight bytes of parameters (an address) + OFFSET, as a kernel that writes where it must not.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "impls/cuda/ptx/decode.hpp"
#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/machine.hpp"
#include "impls/cuda/ptx/module.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace ulpgate::ptx;
using Address = std::uint64_t;

constexpr int ok = 0, invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_image = 200, not_found = 500, illegal_address = 700;

struct Function {
    Program program;
};
struct LoadedModule {
    Module text;
    std::map<std::string, std::unique_ptr<Function>> functions;
};

std::map<Address, std::uint64_t> allocations;
int pending = ok;  // of a kernel; stays
bool current = false;

int setting(const char* name, int otherwise) {
    const char* v = std::getenv(name);
    return v ? std::atoi(v) : otherwise;
}
// What STUB_FAIL says about this call of `entry`.
int failure(const std::string& entry) {
    static std::map<std::string, int> calls;
    const int call = ++calls[entry];
    const char* v = std::getenv("STUB_FAIL");
    if (!v || std::strncmp(v, entry.c_str(), entry.size()) || v[entry.size()] != '=') return ok;
    int code = 0, at = 1;
    const bool one = std::sscanf(v + entry.size() + 1, "%d@%d", &code, &at) == 2;
    return !one || call == at ? code : ok;
}
bool inside(Address a, std::uint64_t bytes) {
    auto it = allocations.upper_bound(a);
    if (it == allocations.begin()) return false;
    --it;
    return a - it->first <= it->second && bytes <= it->second - (a - it->first);
}
void damage(const Launch& l) {
    const char* at = std::getenv("STUB_DAMAGE");
    if (!at) return;
    Address a = 0;
    std::size_t which = 0;
    long long offset = 0;
    if (std::sscanf(at, "%zu,%lld", &which, &offset) != 2) return;
    std::memcpy(&a, l.parameters.data() + 8 * which, sizeof a);
    a += static_cast<Address>(offset);
    if (inside(a, 1)) *reinterpret_cast<unsigned char*>(a) ^= 1;
}

}  // namespace

#define BEGIN                                            \
    if (const int code = failure(__func__)) return code; \
    if (pending) return pending

EXPORT int cuGetErrorName(int code, const char** name) {
    static const std::map<int, const char*> names = {{1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {100, "CUDA_ERROR_NO_DEVICE"},
                                                     {200, "CUDA_ERROR_INVALID_IMAGE"}, {500, "CUDA_ERROR_NOT_FOUND"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                     {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
    const auto it = names.find(code);
    *name = it == names.end() ? nullptr : it->second;
    return it == names.end() ? invalid_value : ok;
}
EXPORT int cuInit(unsigned flags) {
    BEGIN;
    return flags ? invalid_value : ok;
}
EXPORT int cuDeviceGetCount(int* n) {
    BEGIN;
    *n = setting("STUB_DEVICES", 1);
    return ok;
}
EXPORT int cuDriverGetVersion(int* v) {
    BEGIN;
    *v = 13000;
    return ok;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
    BEGIN;
    *device = ordinal;
    return ordinal < setting("STUB_DEVICES", 1) ? ok : no_device;
}
EXPORT int cuDeviceGetName(char* name, int size, int) {
    BEGIN;
    std::snprintf(name, static_cast<std::size_t>(size), "stub card");
    return ok;
}
EXPORT int cuDeviceGetAttribute(int* v, int attribute, int) {
    BEGIN;
    const int arch = setting("STUB_ARCH", 90);
    *v = attribute == 75 ? arch / 10 : attribute == 76 ? arch % 10 : 0;
    return attribute == 75 || attribute == 76 ? ok : invalid_value;
}
EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
    BEGIN;
    *context = &current;
    return ok;
}
EXPORT int cuCtxSetCurrent(void* context) {
    BEGIN;
    current = context == &current;
    return current ? ok : invalid_value;
}
EXPORT int cuStreamCreate(void** stream, unsigned) {
    BEGIN;
    *stream = &allocations;
    return current ? ok : invalid_value;
}
EXPORT int cuStreamSynchronize(void* stream) {
    BEGIN;
    return stream == &allocations ? ok : invalid_value;
}
EXPORT int cuMemAlloc_v2(Address* a, std::size_t bytes) {
    BEGIN;
    if (!bytes) return invalid_value;
    void* p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!p) return out_of_memory;
    std::memset(p, 0x77, bytes);
    *a = reinterpret_cast<Address>(p);
    allocations[*a] = bytes;
    return ok;
}
EXPORT int cuMemFree_v2(Address a) {
    BEGIN;
    if (!allocations.erase(a)) return invalid_value;
    std::free(reinterpret_cast<void*>(a));
    return ok;
}
EXPORT int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    BEGIN;
    if (!inside(to, bytes)) return invalid_value;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return ok;
}
EXPORT int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    BEGIN;
    if (!inside(from, bytes)) return invalid_value;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return ok;
}
EXPORT int cuMemsetD8_v2(Address a, unsigned char value, std::size_t bytes) {
    BEGIN;
    if (!inside(a, bytes)) return invalid_value;
    std::memset(reinterpret_cast<void*>(a), value, bytes);
    return ok;
}
EXPORT int cuModuleLoadData(void** module, const void* image) {
    BEGIN;
    try {
        auto loaded = std::make_unique<LoadedModule>();
        loaded->text = parse_module(static_cast<const char*>(image));
        *module = loaded.release();
        return ok;
    } catch (const std::exception&) {
        return invalid_image;
    }
}
EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
    BEGIN;
    auto& m = *static_cast<LoadedModule*>(module);
    const auto* k = m.text.find(name);
    if (!k) return not_found;
    auto& f = m.functions[name];
    if (!f) f = std::make_unique<Function>(Function{decode(m.text, *k)});
    *function = f.get();
    return ok;
}
EXPORT int cuFuncSetAttribute(void*, int attribute, int value) {
    BEGIN;
    return attribute == 8 && value >= 0 ? ok : invalid_value;
}
EXPORT int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream, void** parameters,
                          void** extra) {
    BEGIN;
    const auto& program = static_cast<Function*>(function)->program;
    if (parameters || !extra || extra[0] != reinterpret_cast<void*>(1) || extra[2] != reinterpret_cast<void*>(2) || extra[4] || stream != &allocations) return invalid_value;
    Launch l;
    l.grid = {gx, gy, gz};
    l.block = {bx, by, bz};
    l.dynamic_shared = shared;
    const auto size = *static_cast<std::size_t*>(extra[3]);
    if (size != program.parameter_bytes || !l.grid.count() || !l.block.count() || l.block.count() > 1024) return invalid_value;
    l.parameters.assign(static_cast<std::uint8_t*>(extra[1]), static_cast<std::uint8_t*>(extra[1]) + size);
    Memory memory;
    for (const auto& [a, bytes] : allocations) memory.add("allocation", reinterpret_cast<void*>(a), bytes, true);
    try {
        run(program, l, memory);
    } catch (const Error&) {
        pending = illegal_address;
    }
    damage(l);
    return ok;
}
