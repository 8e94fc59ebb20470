#include "impls/cuda/launch/call.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "impls/cuda/launch/images.hpp"
#include "impls/cuda/launch/tensors.hpp"
#include "impls/cuda/launch/trace.hpp"
#include "impls/cuda/ptx/error.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::launch {
namespace {

[[noreturn]] void wrong(const std::string& what) { throw std::runtime_error(what); }

std::size_t bytes(const std::string& type) { return type == "i8" ? 1 : type == "i32" || type == "f32" ? 4 : 8; }

struct Packed {
    std::size_t offset, size;
};
// Where each value lies: in order, at its natural alignment, as in a parameter list and in a C struct.
std::vector<Packed> layout(const KernelLaunch& l) {
    std::vector<Packed> out;
    std::size_t at = 0;
    for (const auto& p : l.params) {
        const auto n = bytes(p.type);
        at = (at + n - 1) / n * n;
        out.push_back({at, n});
        at += n;
    }
    return out;
}

// Each parameter of the kernel begins where a value does, and every value lies inside one.
void check_parameters(const Description& d, const KernelLaunch& l, const ptx::KernelText& k) {
    const auto values = layout(l);
    const auto refuse = [&](const std::string& what) { wrong(fmt::format("{}:{}: kernel {}: {}", d.path, l.line, k.name, what)); };
    for (const auto& p : k.parameters) {
        std::size_t inside = 0;
        for (const auto& v : values)
            if (v.offset >= p.offset && v.offset + v.size <= p.offset + p.size) ++inside;
        if (!inside) refuse(fmt::format("parameter {} ({} bytes at {}) is given no value, or one of another size", p.name, p.size, p.offset));
        if (!p.aggregate && inside != 1) refuse(fmt::format("parameter {} has {} bytes and is given {} values", p.name, p.size, inside));
    }
    const auto end = values.empty() ? 0 : values.back().offset + values.back().size;
    if (end > k.parameter_bytes) refuse(fmt::format("params take {} bytes, the kernel has {}", end, k.parameter_bytes));
    for (std::size_t n = 0; n < values.size(); ++n) {
        bool in = false;
        for (const auto& p : k.parameters) in |= values[n].offset >= p.offset && values[n].offset + values[n].size <= p.offset + p.size;
        if (!in) refuse(fmt::format("value {} ({} {}) straddles the kernel's parameters", n + 1, l.params[n].type, l.params[n].value));
    }
}

using Scratch = std::map<std::string, std::uint64_t, std::less<>>;

class Executor final : public Machine {
  public:
    explicit Executor(const Tensors& tensors) { tensors.add_to(memory_); }
    std::uint64_t scratch(std::uint64_t bytes) override {
        auto& piece = scratch_.emplace_back(static_cast<std::size_t>(bytes) + 1, std::uint8_t{0xa5});
        memory_.add("buffer", piece.data(), bytes, true);
        return reinterpret_cast<std::uint64_t>(piece.data());
    }
    void launch(const std::string& kernel, const ptx::Program& program, const ptx::Launch& l) override { run_kernel(kernel, program, l, memory_); }

  private:
    ptx::Memory memory_;
    std::vector<std::vector<std::uint8_t>> scratch_;
};

std::vector<std::uint8_t> pack(const KernelLaunch& l, std::size_t size, const Tensors& t, const Scratch& scratch) {
    std::vector<std::uint8_t> out(size, 0);
    const auto places = layout(l);
    for (std::size_t n = 0; n < places.size(); ++n) {
        const Param& p = l.params[n];
        auto* to = out.data() + places[n].offset;
        if (p.type == "ptr") {
            std::uint64_t v = 0;
            if (const auto* placed = t.find(p.value)) v = placed->address;
            else if (const auto it = scratch.find(p.value); it != scratch.end()) v = it->second;
            else if (p.value != "null") wrong(fmt::format("no tensor or buffer '{}'", p.value));
            std::memcpy(to, &v, sizeof v);
        } else if (p.type == "f32") {
            const auto v = static_cast<float>(t.real(p.value));
            std::memcpy(to, &v, sizeof v);
        } else if (p.type == "f64") {
            const double v = t.real(p.value);
            std::memcpy(to, &v, sizeof v);
        } else {
            const auto v = evaluate(p.value, [&](std::string_view name) { return t.value(name); });
            if (p.type == "i32" && (v > 0xffffffffll || v < -0x80000000ll)) wrong(fmt::format("{} = {} does not fit into 32 bits", p.value, v));
            std::memcpy(to, &v, places[n].size);
        }
    }
    return out;
}

ptx::Extent extent(const std::vector<std::string>& e, const Lookup& lookup, const char* what) {
    std::uint32_t v[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const auto n = evaluate(e[k], lookup);
        if (n < 1 || n > 0x7fffffff) wrong(fmt::format("{} '{}' is {}", what, e[k], n));
        v[k] = static_cast<std::uint32_t>(n);
    }
    return {v[0], v[1], v[2]};
}

}  // namespace

Member parse_member(const std::string& text) {
    Member m;
    for (const auto part : split(text, ',')) {
        if (part.empty()) continue;
        if (part.starts_with("sm_")) m.arch = part;
        else if (part == "fuse=none") m.fuse = ptx::Fuse::none;
        else if (part == "fuse=first") m.fuse = ptx::Fuse::first;
        else if (part == "fuse=second") m.fuse = ptx::Fuse::second;
        else if (part == "approx=nearest") m.approximate = ptx::Approximate::nearest;
        else if (part == "approx=low") m.approximate = ptx::Approximate::low;
        else if (part == "approx=high") m.approximate = ptx::Approximate::high;
        else if (int floor = 0; part.starts_with("floor=") && parse_integer(part.substr(6), floor) && floor >= 1 && floor <= 300) m.floor = floor;
        else wrong(fmt::format("no variant '{}': sm_NN, fuse=none|first|second, approx=nearest|low|high, floor=1 to 300", part));
    }
    return m;
}

std::string print(const Member& m) {
    std::string s = m.arch;
    const auto add = [&](const char* part) { s += (s.empty() ? "" : ",") + std::string(part); };
    if (m.fuse != ptx::Fuse::none) add(m.fuse == ptx::Fuse::first ? "fuse=first" : "fuse=second");
    if (m.approximate != ptx::Approximate::nearest) add(m.approximate == ptx::Approximate::low ? "approx=low" : "approx=high");
    if (m.floor) add(fmt::format("floor={}", *m.floor).c_str());
    return s;
}

Callable::Callable(const Description& d, const Member& m) : description_(d), member_(m) {
    const Image image = ptx_image(d.module, m.arch);
    try {
        const auto module = ptx::parse_module(image.ptx);
        for (const auto& e : d.entries)
            for (const auto& l : e.launches) {
                const auto* k = module.find(l.kernel);
                if (!k) {
                    std::vector<std::string> names;
                    for (const auto& other : module.kernels) names.push_back(other.name);
                    const auto near = nearest(l.kernel, names);
                    wrong(fmt::format("{}:{}: no kernel '{}' in {}{}", d.path, l.line, l.kernel, d.module, near.empty() ? "" : "; did you mean '" + near + "'?"));
                }
                check_parameters(d, l, *k);
                if (!programs_.contains(l.kernel)) programs_.emplace(l.kernel, ptx::decode(module, contracted(*k, m.fuse)));
            }
    } catch (const ptx::Error& e) {
        wrong(fmt::format("{}: {}", d.module, e.what()));
    }
}

int Callable::call(std::size_t entry, const ulpgate_rmsnorm& a) {
    const int status = call(entry, Tensors(a));
    if (status != ULPGATE_OK || a.rows < 8 || spread_checked_.contains(entry)) return status;
    spread_checked_.insert(entry);
    check_spread(entry, a);
    return status;
}

int Callable::call(std::size_t entry, const Tensors& tensors) const {
    Executor executor(tensors);
    return call(entry, tensors, executor);
}

int Callable::call(std::size_t entry, const Tensors& tensors, Machine& machine) const {
    const Entry& e = description_.entries.at(entry);
    const Lookup lookup = [&](std::string_view name) { return tensors.value(name); };
    for (const auto& r : e.requirements)
        if (!evaluate(r, lookup)) return ULPGATE_REFUSED;
    if (!e.any_columns && !tensors.contiguous_columns()) return ULPGATE_REFUSED;
    if (tensors.rows() == 0) return ULPGATE_OK;

    Scratch scratch;
    for (const auto& b : e.buffers) {
        const auto n = evaluate(b.bytes, lookup);
        if (n < 0 || n > std::int64_t{1} << 32) wrong(fmt::format("buffer {} of {} bytes", b.name, n));
        scratch[b.name] = machine.scratch(static_cast<std::uint64_t>(n));
    }
    for (const auto& l : e.launches) {
        if (!evaluate(l.when, lookup)) continue;
        const auto& program = programs_.at(l.kernel);
        ptx::Launch launch;
        launch.grid = extent(l.grid, lookup, "grid");
        launch.block = extent(l.block, lookup, "block");
        const auto shared = evaluate(l.shared, lookup);
        if (shared < 0 || shared > 0x7fffffff) wrong(fmt::format("shared '{}' is {}", l.shared, shared));
        launch.dynamic_shared = static_cast<std::uint32_t>(shared);
        launch.shared_limit = member_.arch == "sm_80" ? 166912 : 232448;
        launch.approximate = member_.approximate;
        if (member_.floor) launch.least_exponent = -*member_.floor;
        launch.parameters = pack(l, program.parameter_bytes, tensors, scratch);
        machine.launch(l.kernel, program, launch);
    }
    return ULPGATE_OK;
}

}  // namespace ulpgate::launch
