#include "impls/subject/direct.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "impls/subject/pack.hpp"

namespace ulpgate {

namespace {

constexpr std::size_t line = 64, between = 4096 + 768;  // tensors a page apart and off its multiples: 4 KiB aliasing costs 30 %

}  // namespace

struct DirectKernel::Impl {
    void* library = nullptr;
    const ulpgate_descriptor* descriptor = nullptr;
    std::vector<std::byte> memory, workspace;
    std::unique_ptr<child::Control> control;
    child::Arguments arguments{};
    const ulpgate_entry* entry = nullptr;

    ~Impl() {
        if (library) dlclose(library);
    }
    const ulpgate_entry& at(std::size_t k) const {
        return *reinterpret_cast<const ulpgate_entry*>(reinterpret_cast<const char*>(descriptor->entries) + k * descriptor->entry_size);
    }
};

DirectKernel::DirectKernel(const std::string& library, const std::string& variant) : impl_(std::make_unique<Impl>()) {
    impl_->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!impl_->library) throw std::runtime_error(dlerror());
    const auto describe = reinterpret_cast<const ulpgate_descriptor* (*)(const char*)>(dlsym(impl_->library, "ulpgate_describe"));
    impl_->descriptor = describe ? describe(variant.empty() ? nullptr : variant.c_str()) : nullptr;
    if (!impl_->descriptor) throw std::runtime_error(library + ": no descriptor");
    if (impl_->descriptor->unavailable) throw std::runtime_error(impl_->descriptor->unavailable);
}

DirectKernel::~DirectKernel() = default;

std::string DirectKernel::library_of(const std::string& home, const std::string& name) {
    for (const char* folder : {"scalar", "avx2", "avx512"}) {
        const std::string path = home + "/kernels/" + folder + "/" + name + ".so";
        if (std::error_code ec; std::filesystem::exists(path, ec)) return path;
    }
    return "";
}

std::vector<std::string> DirectKernel::contracts() const {
    std::vector<std::string> out;
    for (std::size_t k = 0; k < impl_->descriptor->entry_count; ++k) out.emplace_back(impl_->at(k).contract);
    return out;
}

bool DirectKernel::projects(std::size_t entry) const { return impl_->at(entry).linear != nullptr; }

void DirectKernel::prepare(std::size_t entry, const Tensors& t) {
    Impl& m = *impl_;
    m.control = std::make_unique<child::Control>();
    child::Control& c = *m.control;
    std::size_t total = 2 * between;
    for (const Tensor& v : t.all) total += static_cast<std::size_t>(v.extent()) * static_cast<std::size_t>(bytes(v.type)) + between + line;
    m.memory.assign(total, std::byte{0});
    auto* base = reinterpret_cast<char*>(m.memory.data());
    std::size_t at = line - reinterpret_cast<std::uintptr_t>(base) % line;
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const Tensor& v = t.all[k];
        child::Slot& s = c.slot[k];
        v.spec->name.copy(s.name, sizeof s.name - 1);
        s.at = at;
        s.bytes = static_cast<std::uint64_t>(v.extent()) * static_cast<std::uint64_t>(bytes(v.type));
        s.type = static_cast<std::uint32_t>(v.type);
        s.rank = static_cast<std::uint32_t>(v.rank);
        std::copy(v.size.begin(), v.size.end(), s.size);
        std::copy(v.stride.begin(), v.stride.end(), s.stride);
        if (!v.storage.empty()) std::memcpy(base + at, v.storage.data(), v.storage.size());
        at += (s.bytes + line - 1) / line * line + between;
    }
    c.eps = t.eps;
    c.threads = t.threads;
    for (std::size_t d = 0; d < t.sizes.v.size(); ++d) c.dims[d] = t.sizes.v[d];
    c.d_stat = t.contract.stat_width ? t.contract.stat_width : t.sizes[Dim::d];
    m.entry = &m.at(entry);
    child::pack(m.arguments, c, base, *m.entry);
    if (const std::size_t n = m.entry->workspace ? m.entry->workspace(&m.arguments) : 0) {
        m.workspace.resize(n + 256);
        m.arguments.call.workspace = m.workspace.data() + (256 - reinterpret_cast<std::uintptr_t>(m.workspace.data()) % 256);
        m.arguments.call.workspace_bytes = n;
    }
}

int DirectKernel::call() { return child::call(impl_->arguments, *impl_->entry); }

void* DirectKernel::data(std::string_view tensor) {
    for (const child::Slot& s : impl_->control->slot)
        if (tensor == s.name) return impl_->memory.data() + s.at;
    return nullptr;
}

}  // namespace ulpgate
