#include "impls/subject/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ulpgate {

using namespace child;

namespace {

constexpr std::uint64_t line = 64;  // an offset moves a tensor off this alignment, which allocators give

// What surrounds a tensor: a pattern that depends on the address, so that a copied neighbour shows.
struct Canary {
    unsigned char byte[2 * page];
    Canary() {
        for (std::uint64_t i = 0; i < sizeof byte; ++i) byte[i] = static_cast<unsigned char>(0xa5 ^ (i % 256 * 37 + i / 256));
    }
};
const Canary canary;

// at: from a page's begin.
void put_canary(unsigned char* arena, std::uint64_t at, std::uint64_t n) {
    while (n) {
        const std::uint64_t step = std::min(n, page - at % page);
        std::memcpy(arena + at, canary.byte + at % page, step);
        at += step;
        n -= step;
    }
}

// Offset of the first changed byte, or n.
std::uint64_t changed(const unsigned char* arena, std::uint64_t at, std::uint64_t n) {
    for (std::uint64_t done = 0; done < n;) {
        const std::uint64_t step = std::min(n - done, page - (at + done) % page);
        const unsigned char *have = arena + at + done, *want = canary.byte + (at + done) % page;
        if (std::memcmp(have, want, step)) return done + static_cast<std::uint64_t>(std::mismatch(have, have + step, want).first - have);
        done += step;
    }
    return n;
}

std::uint64_t size_of(const Tensor& v) { return static_cast<std::uint64_t>(bytes(v.type)); }
std::uint64_t bytes_of(const Tensor& v) { return static_cast<std::uint64_t>(v.extent()) * size_of(v); }

// Calls f(offset in bytes, bytes) for every run of elements, and g for every gap between two.
template <class F, class G>
void runs(const Tensor& v, F f, G g) {
    const std::uint64_t es = size_of(v), n = static_cast<std::uint64_t>(v.width()) * es;
    std::uint64_t end = 0;
    for (std::int64_t r = 0; r < v.rows(); ++r) {
        const std::uint64_t at = static_cast<std::uint64_t>(v.row_at(r)) * es;
        if (at > end) g(end, at - end);
        f(at, n);
        end = at + n;
    }
}

std::string_view aliased(std::string_view output) {
    return output == "y" ? "x" : output == "residual_out" ? "residual" : "";
}

}  // namespace

std::string place(const Tensor& v, std::int64_t logical) {
    if (v.rank < 2) return fmt::format("element {} of {}", logical, v.spec->name);
    return fmt::format("row {} col {} of {}", logical / v.width(), logical % v.width(), v.spec->name);
}

unsigned char* CallMemory::data(std::size_t k) const {
    const Slot& s = callee_.layout()[k];
    const Slot& m = s.alias ? callee_.layout()[s.alias - 1] : s;
    return pages(m) + m.data;
}

unsigned char* CallMemory::pages(const Slot& s) const { return (s.writable ? callee_.arena() : callee_.inputs()) + s.file; }

std::size_t CallMemory::source(std::size_t k) const {
    if (!pass_.in_place || t_.all[k].spec->input()) return t_.all.size();
    for (std::size_t i = 0; i < t_.all.size(); ++i)
        if (t_.all[i].spec->name == aliased(t_.all[k].spec->name)) return i;
    return t_.all.size();
}

std::uint64_t CallMemory::readable(std::size_t k) const {
    return t_.all[k].spec->input() || source(k) < t_.all.size() ? entry_.readable_past_end : 0;
}

child::Slot CallMemory::place_tensor(std::size_t k, std::uint64_t align) const {
    const Tensor& v = t_.all[k];
    Slot s{};
    const std::uint64_t n = bytes_of(v), past = readable(k), wide = std::max(line, align);
    const std::uint64_t off = static_cast<std::uint64_t>(t_.offset) * size_of(v) % wide;
    const std::uint64_t grid = off ? wide : align;  // with an offset the address keeps its place in the line at both ends
    v.spec->name.copy(s.name, sizeof s.name - 1);
    s.pages = std::max<std::uint64_t>(pass_.keep_room ? callee_.layout()[k].pages : 1, (n + past + off + page - 1) / page);
    s.data = pass_.flush == Flush::front ? off : (s.pages * page - n - past - off) / grid * grid + off;
    s.bytes = n;
    s.writable = !v.spec->input();
    s.type = static_cast<std::uint32_t>(v.type);
    s.rank = static_cast<std::uint32_t>(v.rank);
    for (std::size_t q = 0; q < s.rank; ++q) {
        s.size[q] = v.size[q];
        s.stride[q] = v.stride[q];
    }
    return s;
}

std::string CallMemory::prepare(const Pass& pass) {
    pass_ = pass;
    if (t_.all.size() > slots) return fmt::format("{} tensors, at most {} are passed", t_.all.size(), slots);
    std::uint64_t at = page, outputs = 0, inputs = 0;
    Layout layout{};
    for (std::size_t k = 0; k < t_.all.size(); ++k) {
        const Tensor& v = t_.all[k];
        const std::uint64_t align = std::max<std::uint64_t>({entry_.align, size_of(v), 1});
        if (static_cast<std::uint64_t>(t_.offset) * size_of(v) % align)
            return fmt::format("offset={} moves {} off the {} bytes that the kernel needs", t_.offset, v.spec->name, entry_.align);
        Slot& s = layout[k] = place_tensor(k, align);
        s.at = at;
        std::uint64_t& file = s.writable ? outputs : inputs;
        s.file = file;
        at += (s.pages + 2) * page;
        file += s.pages * page;
    }
    for (std::size_t k = 0; k < t_.all.size(); ++k)  // in place the input moves into the output's memory, which is writable
        if (const auto i = source(k); i < t_.all.size()) layout[i].alias = static_cast<std::uint32_t>(k + 1);
    if (!callee_.grow_arena(outputs) || !callee_.grow_inputs(inputs))
        return fmt::format("{} MiB of shared memory cannot be had", (outputs + inputs) >> 20);
    callee_.set_layout(layout, at);
    Control& c = callee_.control();
    c.eps = t_.eps;
    c.config_eps = t_.config_eps;
    c.threads = t_.threads;
    c.poison = pass.poison;
    for (std::size_t d = 0; d < t_.sizes.v.size(); ++d) c.dims[d] = t_.sizes.v[d];
    c.d_stat = t_.contract.stat_width ? t_.contract.stat_width : t_.sizes[Dim::d];
    for (std::size_t k = 0; k < t_.all.size(); ++k) fill(k);
    return "";
}

void CallMemory::fill(std::size_t k) {
    const Tensor& v = t_.all[k];
    const Slot& s = callee_.layout()[k];
    unsigned char* memory = pages(s);
    put_canary(memory, 0, s.data);
    put_canary(memory, s.data + s.bytes, s.pages * page - s.data - s.bytes);
    if (v.spec->input()) {
        if (s.alias) return;
        if (s.bytes && held_[k] != 1 + s.file + s.data) std::memcpy(data(k), data_.all[k].storage.data(), s.bytes);
        held_[k] = 1 + s.file + s.data;
        std::memset(data(k) + s.bytes, pass_.poison, readable(k));  // may be read; a use shows as a difference
    } else if (const auto input = source(k); input < t_.all.size()) {
        if (s.bytes) std::memcpy(data(k), data_.all[input].storage.data(), s.bytes);
    } else {
        runs(v, [&](std::uint64_t at, std::uint64_t n) { std::memset(data(k) + at, pass_.poison, n); },
             [&](std::uint64_t at, std::uint64_t n) { put_canary(memory, s.data + at, n); });
    }
}

// A kernel that refuses writes nothing: the first element that no longer is what it was.
std::string CallMemory::written() const {
    for (std::size_t k = 0; k < t_.all.size(); ++k) {
        const Tensor& v = t_.all[k];
        if (v.spec->input()) continue;
        const std::size_t input = source(k);
        std::string what;
        std::int64_t row = 0;
        runs(v, [&](std::uint64_t at, std::uint64_t n) {
            const unsigned char* have = data(k) + at;
            const auto* want = input < t_.all.size() ? reinterpret_cast<const unsigned char*>(data_.all[input].storage.data()) + at : nullptr;
            for (std::uint64_t i = 0; i < n && what.empty(); ++i)
                if (have[i] != (want ? want[i] : pass_.poison)) what = place(v, row * v.width() + static_cast<std::int64_t>(i / size_of(v)));
            ++row;
        }, [](std::uint64_t, std::uint64_t) {});
        if (!what.empty()) return what;
    }
    return "";
}

std::string CallMemory::intact() const {
    for (std::size_t k = 0; k < t_.all.size(); ++k) {
        const Tensor& v = t_.all[k];
        if (v.spec->input()) continue;
        const Slot& s = callee_.layout()[k];
        const unsigned char* memory = pages(s);
        if (const auto at = changed(memory, 0, s.data); at < s.data)
            return fmt::format("wrote byte {} before {}", s.data - at, v.spec->name);
        const std::uint64_t tail = s.pages * page - s.data - s.bytes;
        if (const auto at = changed(memory, s.data + s.bytes, tail); at < tail)
            return fmt::format("wrote byte {} past the end of {}", at, v.spec->name);
        const std::size_t input = source(k);
        std::string gap;
        runs(v, [](std::uint64_t, std::uint64_t) {},
             [&](std::uint64_t at, std::uint64_t n) {
                 std::uint64_t bad = n;
                 if (input < t_.all.size()) {
                     const auto* want = reinterpret_cast<const unsigned char*>(data_.all[input].storage.data()) + at;
                     bad = static_cast<std::uint64_t>(std::mismatch(want, want + n, data(k) + at).first - want);
                 } else {
                     bad = changed(memory, s.data + at, n);
                 }
                 if (bad < n && gap.empty()) gap = fmt::format("wrote into the gap between the rows of {}, at its element {}", v.spec->name, (at + bad) / size_of(v));
             });
        if (!gap.empty()) return gap;
    }
    return "";
}

std::vector<std::vector<std::byte>> CallMemory::outputs() const {
    std::vector<std::vector<std::byte>> out(t_.all.size());
    for (std::size_t k = 0; k < t_.all.size(); ++k) {
        const Tensor& v = t_.all[k];
        if (v.spec->input()) continue;
        out[k].reserve(static_cast<std::size_t>(v.count()) * size_of(v));
        const auto* from = reinterpret_cast<const std::byte*>(data(k));
        runs(v, [&](std::uint64_t at, std::uint64_t n) { out[k].insert(out[k].end(), from + at, from + at + n); }, [](std::uint64_t, std::uint64_t) {});
    }
    return out;
}

bool CallMemory::equals(const std::vector<std::vector<std::byte>>& out) const {
    for (std::size_t k = 0; k < t_.all.size(); ++k) {
        const Tensor& v = t_.all[k];
        if (v.spec->input()) continue;
        bool same = true;
        std::size_t from = 0;
        runs(v, [&](std::uint64_t at, std::uint64_t n) {
            same = same && !std::memcmp(out[k].data() + from, data(k) + at, n);
            from += n;
        }, [](std::uint64_t, std::uint64_t) {});
        if (!same) return false;
    }
    return true;
}

std::string CallMemory::unwritten(const Tensors& t, const std::vector<std::vector<std::byte>>& a, unsigned char poison_a,
                                  const std::vector<std::vector<std::byte>>& b, unsigned char poison_b) {
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const std::size_t es = size_of(t.all[k]);
        const auto all = [es](const std::byte* p, unsigned char poison) {
            return std::all_of(p, p + es, [poison](std::byte v) { return v == std::byte{poison}; });
        };
        for (std::size_t i = 0; i + es <= a[k].size(); i += es)
            if (all(&a[k][i], poison_a) && all(&b[k][i], poison_b)) return "left " + place(t.all[k], static_cast<std::int64_t>(i / es)) + " unwritten";
    }
    return "";
}

}  // namespace ulpgate
