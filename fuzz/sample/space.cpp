#include "fuzz/sample/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ulpgate::fuzzing {
namespace {

constexpr std::array<std::int64_t, 30> edges{8,  64, 512, 1536, 7168, 1,   2,   3,   7,    9,    15,   16,   17,   31,   32,
                                             33, 63, 65,  127,  128,  129, 256, 511, 513,  576,  768,  769,  1535, 1537, 2112};

}  // namespace

Space space_of(const std::vector<EntryInfo>& entries, const std::vector<std::string>& types) {
    Space s;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const EntryInfo& e = entries[k];
        SpaceEntry out;
        out.index = k;
        if (parse(e.contract, out.claim)) continue;  // start() refused it
        if (!types.empty() && std::find(types.begin(), types.end(), name(out.claim[0].x)) == types.end()) continue;
        if (e.abi != Abi::rmsnorm) {
            s.left_out.push_back(fmt::format("{}: not an RMSNorm", e.contract));
            continue;
        }
        out.d_min = std::max<std::int64_t>(1, e.d_min);
        out.d_max = std::min<std::int64_t>(e.d_max ? e.d_max : case_width, case_width);
        out.d_divisor = std::max<std::int64_t>(1, e.d_divisor);
        const std::int64_t first = (out.d_min + out.d_divisor - 1) / out.d_divisor * out.d_divisor;
        if (first > out.d_max || first > s.elements) {
            s.left_out.push_back(fmt::format("{}: its smallest width is {}", e.contract, first));
            continue;
        }
        out.d_min = first;
        s.entries.push_back(std::move(out));
    }
    return s;
}

std::optional<std::size_t> entry_of(const Space& s, const Claim& claim) {
    const auto it = std::find_if(s.entries.begin(), s.entries.end(), [&](const SpaceEntry& e) { return e.claim == claim; });
    if (it == s.entries.end()) return std::nullopt;
    return static_cast<std::size_t>(it - s.entries.begin());
}

std::int64_t draw_width(const Space& s, const SpaceEntry& e, Rng& r) {
    if (!s.d.empty()) return s.d[r.below(static_cast<std::uint32_t>(s.d.size()))];
    const std::int64_t largest = std::min(e.d_max, s.elements);
    std::int64_t d = r.below(4) ? edges[r.below(r.below(2) ? 5 : edges.size())]
                                : 1 + static_cast<std::int64_t>(r.below(static_cast<std::uint32_t>(r.below(2) ? 200 : largest)));
    d = std::clamp(d / e.d_divisor * e.d_divisor, e.d_min, largest);
    return d / e.d_divisor * e.d_divisor;
}

}  // namespace ulpgate::fuzzing
