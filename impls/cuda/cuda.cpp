// The built-in CUDA norms on a GPU: their cubins through the driver, the parameters packed as for the executor. Every output word
// must be the executor's as well; a call where one is not fails, with the row. Variant: none. On a card of sm_8x the sm_80
// cubin runs, on a newer one sm_90's where it can; PTX is never loaded, since the driver's compiler may contract it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "impls/cuda/driver/driver.hpp"
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
    // The device's bytes of now beside the host's: "row 3, column 7: the GPU gives 3f81, the executor 3f80"; "": all the same.
    std::string difference(const char* name) const {
        if (!bytes_) return "";
        std::vector<std::uint8_t> gpu(size_);
        Driver::get().copy_out(gpu.data(), device_, gpu.size());
        const std::int64_t rows = t_.rank == 2 ? t_.size[0] : 1, columns = t_.size[t_.rank - 1];
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                const auto at = static_cast<std::size_t>(r * (t_.rank == 2 ? t_.stride[0] : 0) + c) * element();
                std::uint32_t a = 0, b = 0;
                std::memcpy(&a, &gpu[at], element());
                std::memcpy(&b, bytes_ + at, element());
                if (a != b && !(nan(a) && nan(b))) return fmt::format("{}, row {}, column {}: the GPU gives {:x}, the executor {:x}", name, r, c, a, b);
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

struct Norms {
    std::string name, version, reason;
    std::string cubin;
    void* module = nullptr;
    std::unique_ptr<launch::Callable> callable;
    std::vector<ulpgate_entry> entries;
    ulpgate_descriptor descriptor{};
};

int rmsnorm(const ulpgate_rmsnorm* given) {
    const auto* n = static_cast<const Norms*>(given->call.entry->user);
    const auto index = static_cast<std::size_t>(given->call.entry - n->entries.data());
    try {
        // The executor first, on what the device holds before the call: in place, the kernel overwrites it.
        ulpgate_rmsnorm a = *given;
        OnHost x(a.x), w(a.w), beta(a.beta), residual(a.residual), y(a.y), residual_out(a.residual_out), rstd(a.rstd);
        if (given->y.data == given->x.data) a.y.data = a.x.data;
        if (given->residual_out.data == given->residual.data) a.residual_out.data = a.residual.data;
        const int expected = n->callable->call(index, a);
        Gpu gpu(n->module);
        const int status = n->callable->call(index, *given, gpu);
        if (status != ULPGATE_OK) return status;
        Driver::get().synchronize();
        if (expected != status) throw std::runtime_error(fmt::format("the executor returns {} where the GPU returns {}", expected, status));
        const bool in_place = given->y.data == given->x.data, residual_in_place = given->residual_out.data && given->residual_out.data == given->residual.data;
        for (const auto& what : {in_place ? x.difference("y") : y.difference("y"), residual_in_place ? residual.difference("residual_out") : residual_out.difference("residual_out"),
                                 rstd.difference("rstd")})
            if (!what.empty()) throw std::runtime_error(what);
        return ULPGATE_OK;
    } catch (const cuda::DriverError& e) {
        why = fmt::format("{}: {}", Driver::get().card(), e.what());
    } catch (const ptx::Error& e) {
        why = fmt::format("the executor: {}", e.what());
    } catch (const std::exception& e) {
        why = e.what();
    }
    return ULPGATE_FAILED;
}

// "" or why the norms do not run here.
std::string prepare(Norms& n) {
    const Driver& driver = Driver::get();
    if (!driver.unavailable().empty()) return driver.unavailable();
    const std::string arch = cubin_arch(driver.arch());
    if (arch.empty()) return fmt::format("no cubin for {} ({}): sm_8x and sm_9x are built", driver.card(), driver.arch());
    const std::string path = folder() + "rmsnorm." + arch + ".cubin";
    if (!std::filesystem::exists(path)) return fmt::format("no {}: built without nvcc (impls/cuda/get_nvcc.sh installs it)", std::filesystem::path(path).filename().string());
    if (const auto wrong = read_file(path, n.cubin); !wrong.empty()) return wrong;
    launch::Member member;
    member.arch = arch;
    n.callable = std::make_unique<launch::Callable>(launch::read_description(folder() + "rmsnorm.toml", arch), member);
    n.module = Driver::get().load(n.cubin.data());
    n.name = n.callable->description().name;
    n.version = fmt::format("{}, {}, driver {}.{}", driver.card(), arch, driver.version() / 1000, driver.version() % 1000 / 10);
    for (const auto& e : n.callable->description().entries) {
        ulpgate_entry entry{};
        entry.size = sizeof entry;
        entry.contract = e.contract.c_str();
        entry.rmsnorm = rmsnorm;
        entry.align = e.align;
        entry.user = &n;
        n.entries.push_back(entry);
    }
    return "";
}

}  // namespace

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    if (variant) return nullptr;
    static Norms n;
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
