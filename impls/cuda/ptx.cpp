// Kernels in PTX as a subject behind the public ABI: the executor is the kernel. The variant says which launch description,
// and which member of what the PTX leaves open: "sm_90", "FILE.toml", "FILE.toml:sm_90,fuse=first". Without a file: the
// built-in CUDA norms, described beside this module.
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/ptx/error.hpp"
#include "impls/ulpgate_kernel.h"

namespace {

using namespace ulpgate::launch;

struct Described {
    std::string variant, name, version;
    std::unique_ptr<Callable> callable;
    std::vector<ulpgate_entry> entries;
    ulpgate_descriptor descriptor{};
};

std::string why;

std::string beside_this_module() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&beside_this_module), &info) || !info.dli_fname) throw std::runtime_error("where this module lies is not known");
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1) + "rmsnorm.toml";
}

int rmsnorm(const ulpgate_rmsnorm* a) {
    const auto* d = static_cast<const Described*>(a->call.entry->user);
    const auto index = static_cast<std::size_t>(a->call.entry - d->entries.data());
    try {
        return d->callable->call(index, *a);
    } catch (const ulpgate::ptx::Error& e) {
        why = fmt::format("{}: {}", d->callable->description().module, e.what());
    } catch (const std::exception& e) {
        why = fmt::format("{}: {}", d->callable->description().path, e.what());
    }
    return ULPGATE_FAILED;
}

void fill(Described& d) {
    const auto toml = d.variant.find(".toml");
    const bool file = toml != d.variant.npos;
    const auto rest = file ? d.variant.substr(toml + 5) : ":" + d.variant;
    const Member member = parse_member(rest.empty() ? "" : rest.substr(1));
    const auto description = read_description(file ? d.variant.substr(0, toml + 5) : beside_this_module(), member.arch);
    d.callable = std::make_unique<Callable>(description, member);
    d.name = description.name.empty() ? description.module : description.name;
    d.version = print(member);
    for (const auto& e : d.callable->description().entries) {
        ulpgate_entry entry{};
        entry.size = sizeof entry;
        entry.contract = e.contract.c_str();
        entry.rmsnorm = rmsnorm;
        entry.align = e.align;
        entry.user = &d;
        d.entries.push_back(entry);
    }
    d.descriptor = {ULPGATE_HEAD, .entry_count = static_cast<std::uint32_t>(d.entries.size()), .name = d.name.c_str(),
                    .version = d.version.empty() ? nullptr : d.version.c_str(), .entries = d.entries.data(), .unavailable = nullptr};
    d.descriptor.device = ULPGATE_CPU;
    d.descriptor.threading = ULPGATE_NOT_REENTRANT;
}

}  // namespace

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    static std::vector<std::unique_ptr<Described>> all;
    const std::string text = variant ? variant : "";
    for (const auto& d : all)
        if (d->variant == text) return &d->descriptor;
    try {
        auto d = std::make_unique<Described>();
        d->variant = text;
        fill(*d);
        all.push_back(std::move(d));
        return &all.back()->descriptor;
    } catch (const std::exception& e) {
        why = e.what();
        return nullptr;
    }
}

const char* ulpgate_why(void) { return why.empty() ? nullptr : why.c_str(); }
