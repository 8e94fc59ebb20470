// The built-in CUDA kernels on a GPU: their cubins through the driver, the parameters packed as for the executor. Every output word
// must be the executor's as well; a call where one is not fails, with its place. Variant: none. On a card of sm_8x the sm_80
// cubin runs, on a newer one sm_90's where it can; PTX is never loaded, since the driver's compiler may contract it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "impls/cuda/driver/driver.hpp"
#include "impls/cuda/launch/arguments.hpp"
#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/ptx/error.hpp"
#include "impls/ulpgate_kernel.h"
#include "reference/base/file.hpp"

namespace {

using namespace ulpgate;
using cuda::Driver;

std::string why;

std::string folder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&folder), &info) || !info.dli_fname) throw std::runtime_error("where this module lies is not known");
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

// A cubin runs on cards of its own major version alone.
std::string cubin_arch(const std::string& card) {
    if (card.starts_with("sm_8")) return "sm_80";
    if (card.starts_with("sm_9")) return "sm_90";
    return "";
}

class Gpu final : public launch::Machine {
  public:
    explicit Gpu(void* module) : module_(module) {}
    ~Gpu() override {
        for (const auto a : scratch_) Driver::get().release(a);
    }
    std::uint64_t scratch(std::uint64_t bytes) override { return scratch_.emplace_back(Driver::get().allocate(bytes + 1)); }
    void launch(const std::string& kernel, const ptx::Program&, const ptx::Launch& l) override {
        Driver::get().launch(Driver::get().function(module_, kernel), {l.grid.x, l.grid.y, l.grid.z}, {l.block.x, l.block.y, l.block.z}, l.dynamic_shared,
                             l.parameters);
    }

  private:
    void* module_;
    std::vector<cuda::Address> scratch_;
};

// A tensor's elements on the host: strides and alignment as they are, so that the same kernels are chosen.
class OnHost {
  public:
    static constexpr std::size_t most_align = 4096;  // that a launch description can ask for
    explicit OnHost(ulpgate_tensor& t) : t_(t), device_(reinterpret_cast<cuda::Address>(t.data)) {
        if (!t.data) return;
        std::int64_t last = 0;
        for (std::uint32_t k = 0; k < t.rank; ++k) {
            if (t.size[k] == 0) return;
            last += (t.size[k] - 1) * t.stride[k];
        }
        size_ = static_cast<std::size_t>(last + 1) * element();
        memory_.resize(size_ + most_align);
        const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
        bytes_ = memory_.data() + (device_ - begin) % most_align;
        Driver::get().copy_out(bytes_, device_, size_);
        t.data = bytes_;
    }
    std::size_t element() const { return (t_.type & 0xff) / 8; }
    // The device's bytes of now beside the host's: "y [3, 7]: the GPU gives 3f81, the executor 3f80"; "": all the same.
    std::string difference(std::string_view name) const {
        if (!bytes_) return "";
        std::vector<std::uint8_t> gpu(size_);
        Driver::get().copy_out(gpu.data(), device_, gpu.size());
        std::int64_t n = 1;
        for (std::uint32_t k = 0; k < t_.rank; ++k) n *= t_.size[k];
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t rest = i, offset = 0;
            std::string place;
            for (std::uint32_t k = t_.rank; k-- > 0; rest /= t_.size[k]) {
                offset += rest % t_.size[k] * t_.stride[k];
                place = fmt::format("{}{}{}", rest % t_.size[k], place.empty() ? "" : ", ", place);
            }
            const auto at = static_cast<std::size_t>(offset) * element();
            std::uint32_t a = 0, b = 0;
            std::memcpy(&a, &gpu[at], element());
            std::memcpy(&b, bytes_ + at, element());
            if (a != b && !(nan(a) && nan(b))) return fmt::format("{} [{}]: the GPU gives {:x}, the executor {:x}", name, place, a, b);
        }
        return "";
    }

  private:
    bool nan(std::uint32_t w) const {
        if (t_.type == ULPGATE_BF16) return (w & 0x7fff) > 0x7f80;
        if (t_.type == ULPGATE_F16) return (w & 0x7fff) > 0x7c00;
        return (w & 0x7fffffff) > 0x7f800000;
    }
    ulpgate_tensor& t_;
    cuda::Address device_;
    std::vector<std::uint8_t> memory_;
    std::uint8_t* bytes_ = nullptr;
    std::size_t size_ = 0;
};

struct Called {  // an entry of a description, and the module with its kernels
    launch::Callable* callable;
    void* module;
    std::size_t index;
};
struct Kernels {
    std::string name, version, reason;
    std::vector<std::unique_ptr<launch::Callable>> callables;
    std::vector<std::unique_ptr<Called>> called;
    std::vector<ulpgate_entry> entries;
    ulpgate_descriptor descriptor{};
};

// The executor first, on what the device holds before the call: in place, the kernel overwrites it.
template <class Arguments>
int run(const Called& c, const Arguments& given) {
    Arguments a = given;
    std::vector<std::pair<std::string_view, std::unique_ptr<OnHost>>> outputs, inputs;
    std::vector<std::pair<void*, void*>> moved;  // device, host
    launch::for_each_tensor(a, [&](std::string_view name, ulpgate_tensor& t, bool written) {
        if (!t.data) return;
        for (const auto& [device, host] : moved)
            if (t.data == device) {
                t.data = host;
                return;
            }
        void* const device = t.data;
        (written ? outputs : inputs).emplace_back(name, std::make_unique<OnHost>(t));
        moved.emplace_back(device, t.data);
    });
    const int expected = [&] {
        if constexpr (std::is_same_v<Arguments, ulpgate_rmsnorm>) return c.callable->call(c.index, a);
        else return c.callable->call(c.index, launch::Tensors(a));
    }();
    Gpu gpu(c.module);
    const int status = c.callable->call(c.index, launch::Tensors(given), gpu);
    if (status != ULPGATE_OK) return status;
    Driver::get().synchronize();
    if (expected != status) throw std::runtime_error(fmt::format("the executor returns {} where the GPU returns {}", expected, status));
    for (const auto& [name, on_host] : outputs)
        if (const auto what = on_host->difference(name); !what.empty()) throw std::runtime_error(what);
    return ULPGATE_OK;
}

template <class Arguments>
int call(const Arguments* a) {
    try {
        return run(*static_cast<const Called*>(a->call.entry->user), *a);
    } catch (const cuda::DriverError& e) {
        why = fmt::format("{}: {}", Driver::get().card(), e.what());
    } catch (const ptx::Error& e) {
        why = fmt::format("the executor: {}", e.what());
    } catch (const std::exception& e) {
        why = e.what();
    }
    return ULPGATE_FAILED;
}

// The entries of one description. "" or why they do not run here.
std::string add(Kernels& n, const std::string& name, const std::string& arch) {
    const std::string path = folder() + name + "." + arch + ".cubin";
    if (!std::filesystem::exists(path)) return fmt::format("no {}: built without nvcc (impls/cuda/get_nvcc.sh installs it)", std::filesystem::path(path).filename().string());
    std::string cubin;
    if (const auto wrong = read_file(path, cubin, std::size_t{256} << 20); !wrong.empty()) return wrong;
    launch::Member member;
    member.arch = arch;
    auto& callable = n.callables.emplace_back(std::make_unique<launch::Callable>(launch::read_description(folder() + name + ".toml", arch), member));
    void* const module = Driver::get().load(cubin.data());
    const auto& all = callable->description().entries;
    for (std::size_t k = 0; k < all.size(); ++k) {
        ulpgate_entry entry{};
        entry.size = sizeof entry;
        entry.contract = all[k].contract.c_str();
        if (all[k].op == "mla_query") entry.mla_query = call<ulpgate_mla_query>;
        else if (all[k].op == "linear") entry.linear = call<ulpgate_linear>;
        else entry.rmsnorm = call<ulpgate_rmsnorm>;
        entry.align = all[k].align;
        entry.user = n.called.emplace_back(std::make_unique<Called>(Called{callable.get(), module, k})).get();
        n.entries.push_back(entry);
    }
    return "";
}

// "" or why the kernels do not run here.
std::string prepare(Kernels& n) {
    const Driver& driver = Driver::get();
    if (!driver.unavailable().empty()) return driver.unavailable();
    const std::string arch = cubin_arch(driver.arch());
    if (arch.empty()) return fmt::format("no cubin for {} ({}): sm_8x and sm_9x are built", driver.card(), driver.arch());
    for (const char* name : {"rmsnorm", "query"})
        if (const auto reason = add(n, name, arch); !reason.empty()) return reason;
    n.name = "CUDA kernels";
    n.version = fmt::format("{}, {}, driver {}.{}", driver.card(), arch, driver.version() / 1000, driver.version() % 1000 / 10);
    return "";
}

}  // namespace

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    static Kernels n;
    if (n.descriptor.size) return &n.descriptor;
    try {
        n.reason = prepare(n);
    } catch (const std::exception& e) {  // a device is there and the cubins are broken: no reason to skip
        why = e.what();
        return nullptr;
    }
    n.descriptor = {ULPGATE_HEAD, .entry_count = static_cast<std::uint32_t>(n.entries.size()), .name = n.name.c_str(), .version = n.version.c_str(),
                    .entries = n.entries.data(), .unavailable = n.reason.empty() ? nullptr : n.reason.c_str()};
    n.descriptor.device = ULPGATE_CUDA;
    n.descriptor.threading = ULPGATE_NOT_REENTRANT;
    return &n.descriptor;
}

const char* ulpgate_why(void) { return why.empty() ? nullptr : why.c_str(); }
