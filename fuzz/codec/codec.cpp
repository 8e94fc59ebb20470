#include "fuzz/codec/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

class Reader {
  public:
    explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    std::uint32_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t b = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return b;
    }
    std::uint32_t word(int bytes) {
        std::uint32_t w = 0;
        for (int k = 0; k < bytes; ++k) w |= byte() << 8 * k;
        return w;
    }
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(word(n > 256 ? 2 : 1)) % n; }
    template <class Range>
    const auto& one_of(const Range& r) {
        return r[static_cast<std::size_t>(below(static_cast<std::int64_t>(r.size())))];
    }
    bool more() const { return !bytes_.empty(); }

  private:
    std::span<const std::uint8_t> bytes_;
};

constexpr std::array<std::string_view, 3> types{"bf16", "fp16", "f32"};
constexpr std::array<std::int64_t, 16> widths{8, 1, 2, 3, 7, 9, 16, 17, 31, 32, 64, 65, 128, 511, 512, 1536};
constexpr std::array<double, 8> epsilons{1e-6, 0, 1e-5, 0x1p-20, 0x1p-149, 1e-12, 0.5, 0x1p-126};

Segment segment(Reader& r, Type t, std::int64_t d) {
    Segment s;
    s.start = r.below(d);
    s.stride = std::int64_t{1} << r.below(12);
    s.count = 1 + r.below((d - 1 - s.start) / s.stride + 1);
    s.words = {r.word(bytes(t))};
    return s;
}

Program program(Reader& r, Type t, std::int64_t d) {
    Program p;
    const std::int64_t segments = r.below(13);
    p.fill = r.word(bytes(t));
    for (std::int64_t k = 0; k < segments && r.more(); ++k) p.segments.push_back(segment(r, t, d));
    return p;
}

}  // namespace

FuzzCase decode_case(std::span<const std::uint8_t> bytes) {
    Reader r(bytes);
    FuzzCase f;
    f.kept = r.one_of(kept_contracts());
    const auto type = r.one_of(types);
    Case& c = f.input;
    parse(fmt::format("{}{}{}", type, f.kept.contract.empty() ? "" : ",", f.kept.contract), c.claim);
    const Contract& k = c.claim[0];
    c.d = r.one_of(widths);
    c.tokens = 1 + r.below(std::min<std::int64_t>(6, case_elements / c.d));
    c.eps = r.one_of(epsilons);
    const std::uint32_t layout = r.byte();
    if (layout & 1) c.ld = c.d + 1 + (layout >> 4);
    if (layout & 2) c.yld = c.d + 1 + (layout >> 5);
    if (layout & 4) c.offset = layout >> 4;
    const std::uint32_t holds = r.byte();
    if (holds & 1) {
        c.profile = r.one_of(profiles::all())->name;
        c.seed = r.word(4);
    } else {
        c.program = program(r, k.x, c.d);
        if (k.residual != Residual::none) c.residual_program = program(r, k.res, c.d);
    }
    if (k.gain != Gain::none && holds & 2)
        c.gain = r.one_of(gain_rules()).name;
    else if (k.gain != Gain::none && holds & 4)
        c.w_program = program(r, k.w, c.d);
    return f;
}

}  // namespace ulpgate
