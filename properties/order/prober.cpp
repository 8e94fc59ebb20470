#include "properties/order/prober.hpp"

#include <algorithm>
#include <cstring>

namespace ulpgate {

Prober::Prober(Subject& s, std::size_t entry, const Op& op, const Contract& c, std::int64_t d, std::int64_t batch)
    : subject_(s),
      entry_(entry),
      op_(op),
      contract_(c),
      d_(d),
      batch_(batch ? batch : std::clamp<std::int64_t>((std::int64_t{1} << 20) / d, 64, 768)) {}

std::vector<float> Prober::unit_gain() const {
    const bool offset = contract_.gain == Gain::one_plus || contract_.gain == Gain::one_plus_t;
    return std::vector<float>(static_cast<std::size_t>(d_), offset ? 0.0f : 1.0f);
}

Tensors Prober::lay(std::int64_t rows_a_call, double eps) const {
    Sizes sizes;
    op_.defaults(sizes);
    sizes[op_.d] = d_;
    sizes[Dim::batch] = 1;
    sizes[Dim::tokens] = rows_a_call;
    op_.derive(sizes);
    Tensors t = lay_out(op_, contract_, sizes);
    t.eps = eps;
    return t;
}

std::vector<std::uint32_t> Prober::call(const Tensors& t) {
    if (!error.empty()) return {};
    const Outcome o = subject_.run(entry_, t);
    ++calls;
    const Tensor* y = t.find("y");
    rows += y->rows();
    if (o.event != Event::ok) {
        error = o.what.empty() ? "the kernel did not answer" : o.what;
        return {};
    }
    const auto width = static_cast<std::size_t>(bytes(y->type));
    const auto& out = o.out[static_cast<std::size_t>(y - t.all.data())];
    std::vector<std::uint32_t> words(static_cast<std::size_t>(y->count()));
    const auto widen = [&](auto word) {  // of a fixed width
        for (std::size_t k = 0; k < words.size(); ++k) {
            std::memcpy(&word, out.data() + k * sizeof word, sizeof word);
            words[k] = word;
        }
    };
    width == 4 ? widen(std::uint32_t{}) : width == 2 ? widen(std::uint16_t{}) : widen(std::uint8_t{});
    return words;
}

std::vector<std::uint32_t> Prober::ask(std::span<const Probe> probes, double eps) {
    std::vector<std::uint32_t> out;
    out.reserve(probes.size());
    Tensors t = lay(batch_, eps);
    Tensor& x = *t.find("x");
    if (Tensor* w = t.find("w")) w->write_row(0, unit_gain());
    for (std::size_t at = 0; at < probes.size(); at += static_cast<std::size_t>(batch_)) {
        const auto some = probes.subspan(at, std::min(probes.size() - at, static_cast<std::size_t>(batch_)));
        const auto each = [&](auto what) {
            for (std::size_t i = 0; i < some.size(); ++i)
                for (const Spot& s : some[i].spots) x.set_word(x.row_at(static_cast<std::int64_t>(i)) + s.column, what(s));
        };
        each([&](const Spot& s) { return encode(x.type, s.value); });
        const auto y = call(t);
        if (y.empty()) return {};
        for (std::size_t i = 0; i < some.size(); ++i)
            out.push_back(y[i * static_cast<std::size_t>(d_) + static_cast<std::size_t>(some[i].read)]);
        each([](const Spot&) { return 0u; });
    }
    return out;
}

std::vector<std::uint32_t> Prober::ask_rows(std::span<const float> x, std::span<const float> w, double eps, std::int64_t rows_a_call) {
    const auto d = static_cast<std::size_t>(d_), n = x.size() / d, step = static_cast<std::size_t>(rows_a_call ? rows_a_call : batch_);
    std::vector<std::uint32_t> out;
    Tensors t = lay(static_cast<std::int64_t>(step), eps);
    Tensor& in = *t.find("x");
    if (Tensor* gain = t.find("w")) gain->write_row(0, w);
    const std::vector<float> zero(d);
    for (std::size_t at = 0; at < n; at += step) {
        for (std::size_t i = 0; i < step; ++i)
            in.write_row(static_cast<std::int64_t>(i), at + i < n ? x.subspan((at + i) * d, d) : std::span<const float>(zero));
        const auto y = call(t);
        if (y.empty()) return {};
        out.insert(out.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(std::min(step, n - at) * d));
    }
    return out;
}

}  // namespace ulpgate
