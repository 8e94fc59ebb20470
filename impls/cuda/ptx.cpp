// Kernels in PTX as a subject behind the public ABI: the executor is the kernel. The variant says which launch description,
// and which member of what the PTX leaves open: "sm_90", "FILE.toml", "FILE.toml:sm_90,fuse=first". Without a file: the
// built-in CUDA norms and query paths, described beside this module.
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/ptx/error.hpp"
#include "impls/ulpgate_kernel.h"

namespace {

using namespace ulpgate::launch;

struct Called {  // an entry of a description
    Callable* callable;
    std::size_t index;
};
struct Described {
    std::string variant, name, version;
    std::vector<std::unique_ptr<Callable>> callables;
    std::vector<std::unique_ptr<Called>> called;
    std::vector<ulpgate_entry> entries;
    ulpgate_descriptor descriptor{};
};

std::string why;

std::string beside_this_module() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&beside_this_module), &info) || !info.dli_fname) throw std::runtime_error("where this module lies is not known");
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

template <class Arguments>
int call(const Arguments* a) {
    const auto& c = *static_cast<const Called*>(a->call.entry->user);
    try {
        if constexpr (std::is_same_v<Arguments, ulpgate_rmsnorm>) return c.callable->call(c.index, *a);
        else return c.callable->call(c.index, Tensors(*a));
    } catch (const ulpgate::ptx::Error& e) {
        why = fmt::format("{}: {}", c.callable->description().module, e.what());
    } catch (const std::exception& e) {
        why = fmt::format("{}: {}", c.callable->description().path, e.what());
    }
    return ULPGATE_FAILED;
}

void fill(Described& d) {
    const auto toml = d.variant.find(".toml");
    const bool file = toml != d.variant.npos;
    const auto rest = file ? d.variant.substr(toml + 5) : ":" + d.variant;
    const Member member = parse_member(rest.empty() ? "" : rest.substr(1));
    std::vector<std::string> files{d.variant.substr(0, file ? toml + 5 : 0)};
    if (!file) files = {beside_this_module() + "rmsnorm.toml", beside_this_module() + "query.toml"};
    for (const auto& path : files) {
        auto& callable = d.callables.emplace_back(std::make_unique<Callable>(read_description(path, member.arch), member));
        const auto& all = callable->description().entries;
        for (std::size_t k = 0; k < all.size(); ++k) {
            ulpgate_entry entry{};
            entry.size = sizeof entry;
            entry.contract = all[k].contract.c_str();
            if (all[k].op == "mla_query") entry.mla_query = call<ulpgate_mla_query>;
            else if (all[k].op == "linear") entry.linear = call<ulpgate_linear>;
            else entry.rmsnorm = call<ulpgate_rmsnorm>;
            entry.align = all[k].align;
            entry.user = d.called.emplace_back(std::make_unique<Called>(Called{callable.get(), k})).get();
            d.entries.push_back(entry);
        }
    }
    const Description& first = d.callables[0]->description();
    d.name = !file ? "CUDA kernels, executed" : first.name.empty() ? first.module : first.name;
    d.version = print(member);
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
