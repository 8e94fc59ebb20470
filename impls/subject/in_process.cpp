#include "impls/subject/in_process.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "impls/subject/pack.hpp"
#include "impls/ulpgate_kernel.h"

#if defined(__SANITIZE_ADDRESS__)
#define ULPGATE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ULPGATE_ASAN 1
#endif
#endif
#ifdef ULPGATE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace ulpgate {
namespace {

constexpr std::size_t apart = 256, line = 64;  // bytes between tensors, and their alignment at least

class InProcessSubject final : public Subject {
  public:
    InProcessSubject(std::string text, Library library) : text_(std::move(text)), library_(std::move(library)) {}
    const std::string& text() const override { return text_; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return descriptor_ && descriptor_->name ? descriptor_->name : ""; }
    std::string version() const override { return descriptor_ && descriptor_->version ? descriptor_->version : ""; }
    std::string mode() const override { return ""; }
    const ulpgate_entry& entry(std::size_t k) const {
        return *reinterpret_cast<const ulpgate_entry*>(reinterpret_cast<const char*>(descriptor_->entries) + k * descriptor_->entry_size);
    }

    Outcome start() override {
        if (descriptor_) return {};
        const auto no = [](std::string why) { return Outcome{Event::not_loaded, std::move(why), {}, {}, 0}; };
        if (library_.library.empty()) return {library_.event, library_.why, {}, {}, 0};
        void* handle = dlopen(library_.library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) return no(dlerror());
        const auto describe = reinterpret_cast<const ulpgate_descriptor* (*)(const char*)>(dlsym(handle, "ulpgate_describe"));
        if (!describe) return no(library_.library + ": no symbol ulpgate_describe");
        const ulpgate_descriptor* d = describe(library_.variant.empty() ? nullptr : library_.variant.c_str());
        if (!d) return no(fmt::format("{}: no variant '{}'", library_.library, library_.variant));
        if (d->size < offsetof(ulpgate_descriptor, unavailable) || d->abi != ULPGATE_ABI) return no(library_.library + ": built for another version of the ABI");
        if (d->size > offsetof(ulpgate_descriptor, unavailable) && d->unavailable) return {Event::unavailable, d->unavailable, {}, {}, 0};
        if (d->device != ULPGATE_CPU) return {Event::unavailable, "not a kernel of the CPU", {}, {}, 0};
        descriptor_ = d;
        for (std::uint32_t k = 0; k < d->entry_count; ++k) {
            const ulpgate_entry& e = entry(k);
            entries_.push_back({e.contract, e.rmsnorm ? Abi::rmsnorm : e.mla_query ? Abi::mla_query : Abi::linear, e.d_min, e.d_max, e.d_divisor, e.align,
                                e.readable_past_end});
        }
        return {};
    }

    Outcome run(std::size_t k, const Tensors& t) override {
        DirectCall call(*this, k, t);
        if (!call.error().empty()) return {Event::refused, call.error(), {}, {}, 0};
        const int status = call();
        if (status == ULPGATE_REFUSED) return {Event::refused, "the kernel refused it", {}, {}, 0};
        if (status != ULPGATE_OK) return {Event::failed, fmt::format("returned {}", status), {}, {}, 0};
        Outcome o;
        o.out.resize(t.all.size());
        for (std::size_t i = 0; i < t.all.size(); ++i) {
            const Tensor& v = t.all[i];
            if (v.spec->input()) continue;
            const auto row = static_cast<std::size_t>(v.width() * bytes(v.type));
            for (std::int64_t r = 0; r < v.rows(); ++r) {
                const std::byte* from = call.data(i) + v.row_at(r) * bytes(v.type);
                o.out[i].insert(o.out[i].end(), from, from + row);
            }
        }
        return o;
    }

  private:
    std::string text_;
    Library library_;
    const ulpgate_descriptor* descriptor_ = nullptr;
    std::vector<EntryInfo> entries_;
};

std::size_t bytes_of(const Tensor& t) { return static_cast<std::size_t>(t.extent() * bytes(t.type)); }

}  // namespace

struct DirectCall::State {
    std::string error;
    std::vector<std::byte> arena, workspace;
    std::unique_ptr<child::Control> control = std::make_unique<child::Control>();
    child::Arguments arguments;
    const ulpgate_entry* entry = nullptr;
    std::byte* base = nullptr;

    ~State() {
#ifdef ULPGATE_ASAN
        if (!arena.empty()) ASAN_UNPOISON_MEMORY_REGION(arena.data(), arena.size());
#endif
    }
    void place(const Tensors&, std::uint32_t align);
    void fill(const Tensors&);
};

void DirectCall::State::place(const Tensors& t, std::uint32_t align) {
    const std::size_t grid = std::max<std::size_t>(line, align);
    std::size_t at = apart;
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const Tensor& v = t.all[k];
        child::Slot& s = control->slot[k];
        v.spec->name.copy(s.name, sizeof s.name - 1);
        at = (at + grid - 1) / grid * grid;
        s.at = at + static_cast<std::size_t>(t.offset * bytes(v.type)) % grid;
        s.bytes = bytes_of(v);
        s.type = static_cast<std::uint32_t>(v.type);
        s.rank = static_cast<std::uint32_t>(v.rank);
        for (std::size_t q = 0; q < s.rank; ++q) s.size[q] = v.size[q], s.stride[q] = v.stride[q];
        at = s.at + s.bytes + (v.spec->input() ? entry->readable_past_end : 0) + apart;
    }
    arena.resize(at + grid);
    base = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(arena.data()) + grid - 1) / grid * grid);
}

void DirectCall::State::fill(const Tensors& t) {
    std::fill(arena.begin(), arena.end(), std::byte{0xff});
    for (std::size_t k = 0; k < t.all.size(); ++k)
        if (t.all[k].spec->input() && control->slot[k].bytes) std::memcpy(base + control->slot[k].at, t.all[k].storage.data(), control->slot[k].bytes);
#ifdef ULPGATE_ASAN
    ASAN_POISON_MEMORY_REGION(arena.data(), arena.size());
    for (std::size_t k = 0; k < t.all.size(); ++k)
        ASAN_UNPOISON_MEMORY_REGION(base + control->slot[k].at,
                                    control->slot[k].bytes + (t.all[k].spec->input() ? entry->readable_past_end : 0));
#endif
}

DirectCall::DirectCall(Subject& subject, std::size_t entry, const Tensors& t) : state_(std::make_unique<State>()) {
    State& s = *state_;
    const auto& own = dynamic_cast<InProcessSubject&>(subject);
    const EntryInfo& info = own.entries().at(entry);
    const std::int64_t d = t.sizes[Dim::d];
    if (info.abi != t.op->abi || (info.d_min && d < info.d_min) || (info.d_max && d > info.d_max) || (info.d_divisor && d % info.d_divisor) ||
        t.all.size() > child::slots) {
        s.error = "the entry does not take this shape";
        return;
    }
    s.entry = &own.entry(entry);
    s.place(t, info.align);
    s.fill(t);
    child::Control& c = *s.control;
    c.eps = t.eps;
    c.threads = t.threads;
    for (std::size_t k = 0; k < t.sizes.v.size(); ++k) c.dims[k] = t.sizes.v[k];
    c.d_stat = t.contract.stat_width ? t.contract.stat_width : d;
    child::pack(s.arguments, c, reinterpret_cast<char*>(s.base), *s.entry);
    if (s.entry->workspace) {
        s.workspace.resize(s.entry->workspace(&s.arguments) + apart);
        const auto at = (reinterpret_cast<std::uintptr_t>(s.workspace.data()) + apart - 1) / apart * apart;
        s.arguments.call.workspace = reinterpret_cast<void*>(at);
        s.arguments.call.workspace_bytes = s.workspace.size() - apart;
    }
}

DirectCall::~DirectCall() = default;
const std::string& DirectCall::error() const { return state_->error; }
std::byte* DirectCall::data(std::size_t tensor) { return state_->base + state_->control->slot[tensor].at; }
int DirectCall::operator()() { return child::call(state_->arguments, *state_->entry); }

std::unique_ptr<Subject> open_in_process(std::string text, const SubjectOptions& o) {
    Library l = library_of(text, o);
    return std::make_unique<InProcessSubject>(std::move(text), std::move(l));
}

}  // namespace ulpgate
