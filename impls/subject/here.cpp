#include "impls/subject/here.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "impls/subject/isolated.hpp"
#include "impls/subject/pack.hpp"

namespace ulpgate {

using namespace child;

namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 35;  // address space for inputs, and for outputs behind them

struct Region {
    char* base;
    Region() : base(static_cast<char*>(mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        if (base == MAP_FAILED) throw std::bad_alloc();
    }
    ~Region() { munmap(base, 2 * half); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
};

thread_local std::shared_ptr<Region> in_call;

// The kernel's floating-point mode during a call; whatever it leaves behind, the caller's own after it.
class Mode {
  public:
    explicit Mode(unsigned mxcsr) : before_(_mm_getcsr()) { _mm_setcsr(mxcsr & ~0x3fu); }
    ~Mode() { _mm_setcsr(before_); }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

  private:
    unsigned before_;
};

class Here final : public Callee {
  public:
    explicit Here(HereKernel kernel) : kernel_(std::move(kernel)), region_(std::make_shared<Region>()) {}

    bool alive() const override { return alive_; }
    void kill() override { alive_ = false; }
    std::string error() const override { return error_; }
    Control& control() override { return *control_; }
    unsigned char* inputs() override { return reinterpret_cast<unsigned char*>(region_->base); }
    unsigned char* arena() override { return inputs() + half; }
    bool grow_inputs(std::uint64_t bytes) override { return inputs_size_ = std::max(inputs_size_, bytes), bytes <= half; }
    bool grow_arena(std::uint64_t bytes) override { return bytes <= half; }
    const Layout& layout() const override { return layout_; }

    void set_layout(const Layout& layout, std::uint64_t) override {
        layout_ = layout;
        std::copy(layout.begin(), layout.end(), control_->slot);
        for (Slot& s : control_->slot) s.at = s.file + (s.writable ? half : 0);
    }

    Outcome spawn() override {
        Control& c = *control_;
        const ulpgate_descriptor& d = *kernel_.descriptor;
        std::snprintf(c.name, sizeof c.name, "%s", d.name ? d.name : "");
        std::snprintf(c.version, sizeof c.version, "%s", d.version ? d.version : "");
        c.mxcsr = kernel_.mxcsr;
        c.entry_count = d.entry_count;
        for (std::uint32_t k = 0; k < d.entry_count; ++k) {
            const ulpgate_entry& e = d.entries[k];
            EntryText& t = c.entry[k];
            if (std::strlen(e.contract) >= sizeof t.contract) return {Event::not_loaded, fmt::format("the contract of entry {} is too long", k), {}, {}, 0};
            std::strcpy(t.contract, e.contract);
            t.abi = e.rmsnorm ? 0 : e.mla_query ? 1 : 2;
            t.align = e.align;
            t.readable_past_end = e.readable_past_end;
            t.d_min = e.d_min, t.d_max = e.d_max, t.d_divisor = e.d_divisor;
        }
        alive_ = true;
        return {};
    }

    Outcome step(unsigned) override {
        Control& c = *control_;
        const ulpgate_entry& e = kernel_.descriptor->entries[c.called];
        Arguments arguments;
        pack(arguments, c, region_->base, e);
        before_.assign(inputs(), inputs() + inputs_size_);
        error_.clear();
        in_call = region_;
        const struct Left {
            ~Left() { in_call.reset(); }
        } left;
        {
            const Mode mode(kernel_.mxcsr);
            c.status = child::call(arguments, e);
        }
        if (c.status == ULPGATE_FAILED && kernel_.why) error_ = kernel_.why();
        const auto at = static_cast<std::uint64_t>(std::mismatch(before_.begin(), before_.end(), inputs()).first - before_.begin());
        if (at == inputs_size_) return {};
        std::copy(before_.begin(), before_.end(), inputs());
        return {Event::corrupted, changed(at), {}, {}, 0};
    }

  private:
    // at: in the inputs' memory.
    std::string changed(std::uint64_t at) const {
        for (const Slot& s : layout_) {
            if (!s.name[0]) break;
            if (s.writable || at < s.file || at >= s.file + s.pages * page) continue;
            const std::uint64_t begin = s.file + s.data, end = begin + s.bytes;
            if (at < begin) return fmt::format("wrote byte {} before {}", begin - at, s.name);
            if (at >= end) return fmt::format("wrote byte {} past the end of {}", at - end, s.name);
            return fmt::format("wrote to its input {} at byte {}", s.name, at - begin);
        }
        return "wrote beside its inputs";
    }

    HereKernel kernel_;
    std::shared_ptr<Region> region_;
    std::unique_ptr<Control> control_ = std::make_unique<Control>();
    Layout layout_{};
    std::vector<unsigned char> before_;
    std::uint64_t inputs_size_ = 0;
    std::string error_;
    bool alive_ = false;
};

}  // namespace

std::unique_ptr<Subject> open_here_subject(std::string text, HereKernel kernel) {
    return open_called_subject(std::move(text), std::make_unique<Here>(std::move(kernel)));
}

std::shared_ptr<void> memory_of_call() { return in_call; }

}  // namespace ulpgate
