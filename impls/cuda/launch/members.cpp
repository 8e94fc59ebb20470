// What the PTX leaves open: the executions that a verdict must hold for, and what a reader should know.
#include <fmt/format.h>

#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/launch/images.hpp"

namespace ulpgate::launch {
namespace {

// The kernels that the description launches, each once.
std::vector<ptx::KernelText> launched(const Description& d, const std::string& arch) {
    const auto module = ptx::parse_module(ptx_image(d.module, arch).ptx);
    std::vector<ptx::KernelText> out;
    for (const auto& k : module.kernels)
        for (const auto& e : d.entries)
            for (const auto& l : e.launches)
                if (l.kernel == k.name && (out.empty() || out.back().name != k.name)) out.push_back(k);
    return out;
}
bool approximate(const std::string& opcode) { return opcode.find(".approx") != opcode.npos || opcode.starts_with("div.full"); }

}  // namespace

std::vector<Member> members(const Description& d, const std::string& arch) {
    std::vector<ptx::Fuse> fuses{ptx::Fuse::none};
    bool open = false;
    for (const auto& k : launched(d, arch)) {
        if (auto f = ptx::ensemble(k); f.size() > fuses.size()) fuses = std::move(f);
        open |= ptx::approximate_count(k) != 0;
    }
    std::vector<Member> out;
    for (const auto f : fuses) out.push_back({arch, f, ptx::Approximate::nearest});
    if (open)
        for (const auto how : {ptx::Approximate::low, ptx::Approximate::high}) out.push_back({arch, ptx::Fuse::none, how});
    return out;
}

std::vector<std::string> remarks(const Description& d, const std::string& arch) {
    std::vector<std::string> out;
    for (const auto& k : launched(d, arch)) {
        std::string flushed, approx, pairs;
        const auto add = [](std::string& to, const std::string& what) { to.size() > 60 ? void(to.ends_with(" ...") ? 0 : (to += " ...", 0)) : void(to += (to.empty() ? "" : ", ") + what); };
        for (const auto& s : k.statements) {
            if (s.opcode.find(".ftz") != s.opcode.npos) add(flushed, fmt::format("{}", s.line));
            if (approximate(s.opcode)) add(approx, fmt::format("{} at line {}", s.opcode, s.line));
        }
        for (const auto& p : ptx::contractable(k)) add(pairs, fmt::format("{}-{}", k.statements[p.mul].line, k.statements[p.add].line));
        if (!flushed.empty()) out.push_back(fmt::format("{} flushes subnormals to zero (.ftz, lines {}): a fast-math build", k.name, flushed));
        if (!approx.empty()) out.push_back(fmt::format("{} is approximate: {}; judged at the nearest value and at both ends of the documented bound", k.name, approx));
        if (!pairs.empty()) out.push_back(fmt::format("{}: ptxas may contract mul and add (lines {}); judged with and without", k.name, pairs));
    }
    return out;
}

}  // namespace ulpgate::launch
