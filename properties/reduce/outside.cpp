#include "properties/reduce/outside.hpp"

namespace ulpgate {
namespace {

Tensors laid(const OutsideClaim& f, std::size_t rows, std::span<const float> w) {
    Sizes sizes;
    f.op.defaults(sizes);
    sizes[f.op.d] = f.d;
    sizes[Dim::batch] = 1;
    sizes[Dim::tokens] = static_cast<std::int64_t>(rows);
    f.op.derive(sizes);
    Tensors t = lay_out(f.op, f.claim[0], sizes, 0, 0);
    t.eps = t.config_eps = f.eps;
    if (auto* gain = t.find("w")) gain->write_row(0, w);
    return t;
}

}  // namespace

std::vector<bool> OutsideClaim::operator()(std::span<const float> x, std::span<const float> w) {
    const auto n = x.size() / static_cast<std::size_t>(d), width = static_cast<std::size_t>(d);
    std::vector<bool> out(n, false);
    Tensors t = laid(*this, n, w), one = laid(*this, 1, w);
    for (std::size_t i = 0; i < n; ++i) t.find("x")->write_row(static_cast<std::int64_t>(i), x.subspan(i * width, width));
    const Outcome o = call(t);
    ++calls;
    if (o.event != Event::ok) return out;
    const auto y = static_cast<std::size_t>(t.find("y") - t.all.data());
    const auto bytes_a_row = static_cast<std::ptrdiff_t>(width * static_cast<std::size_t>(bytes(t.all[y].type)));
    for (std::size_t i = 0; i < n; ++i) {
        one.find("x")->write_row(0, x.subspan(i * width, width));
        Outcome part;
        part.out.resize(one.all.size());
        const auto from = o.out[y].begin() + static_cast<std::ptrdiff_t>(i) * bytes_a_row;
        part.out[y].assign(from, from + bytes_a_row);
        out[i] = inadmissible(one, part, claim);
        if (out[i]) failed_ = {one, std::move(part)};
    }
    return out;
}

Judgement OutsideClaim::last() const { return judge(failed_->first, failed_->second, claim); }

}  // namespace ulpgate
