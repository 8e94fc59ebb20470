#include "reports/console/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference/base/hexfloat.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/oracle/oracle.hpp"

namespace ulpgate {
namespace {

struct Shown {
    std::vector<float> x, w;
    std::vector<std::uint32_t> got, cast_first, ideal;  // the last two empty where the contract is not a plain norm
    double r = 0;
};

std::vector<std::uint32_t> words_of(Type t, const std::byte* bytes_at, std::int64_t n) {
    std::vector<std::uint32_t> out(static_cast<std::size_t>(n));
    const auto width = static_cast<std::size_t>(bytes(t));
    for (std::size_t k = 0; k < out.size(); ++k) std::memcpy(&out[k], bytes_at + k * width, width);
    return out;
}

bool plain(const Contract& c) { return c.gain == Gain::given && c.residual == Residual::none && c.beta == Given::none && c.quant == Quant::none; }

bool read(const Tensors& t, const Outcome& o, std::int64_t row, Shown& s) {
    if (t.op->abi != Abi::rmsnorm) return false;  // no row of a norm
    const Tensor *x = t.find("x"), *y = t.find("y"), *w = t.find("w");
    if (!x || !y || row < 0 || row >= x->rows()) return false;
    const auto k = static_cast<std::size_t>(y - t.all.data());
    const auto d = x->width();
    if (o.out.size() <= k || o.out[k].size() != static_cast<std::size_t>(y->count() * bytes(y->type))) return false;
    s.x.resize(static_cast<std::size_t>(d));
    x->read_row(row, s.x);
    if (w) {
        s.w.resize(static_cast<std::size_t>(d));
        w->read_row(0, s.w);
    }
    s.got = words_of(y->type, o.out[k].data() + row * d * bytes(y->type), d);
    if (!plain(t.contract) || !w) return true;
    s.r = ideal_r(s.x, t.eps);
    s.cast_first.resize(s.got.size());
    s.ideal.resize(s.got.size());
    const OracleTypes types{x->type, w->type, y->type};
    oracle_row(Oracle::cast_first, types, s.x, s.w, t.eps, s.cast_first);
    oracle_row(Oracle::ideal, types, s.x, s.w, t.eps, s.ideal);
    return true;
}

std::string hex(Type t, std::uint32_t w) { return fmt::format("{:0{}x}", w, 2 * bytes(t)); }

}  // namespace

std::string row_text(const Tensors& t, const Outcome& o, std::int64_t row, std::int64_t column, int most, const Style& style) {
    Shown s;
    if (!read(t, o, row, s)) return "";
    const Tensor &x = *t.find("x"), &y = *t.find("y");
    const auto d = static_cast<std::int64_t>(s.x.size());
    const bool known = !s.ideal.empty();
    const auto error = [&](std::int64_t j) {
        const auto k = static_cast<std::size_t>(j);
        return known ? ulp_error(y.type, s.got[k], static_cast<double>(s.x[k]) * static_cast<double>(s.w[k]) * s.r) : 0.0;
    };
    std::vector<std::int64_t> order(static_cast<std::size_t>(d));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::vector<double> size(order.size());
    for (auto j : order) {
        const double e = std::fabs(error(j));
        size[static_cast<std::size_t>(j)] = j == column ? INFINITY : std::isnan(e) ? 0x1p100 : e;
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
        const double p = size[static_cast<std::size_t>(a)], q = size[static_cast<std::size_t>(b)];
        return p != q ? p > q : a < b;
    });
    std::string out = style.bold(fmt::format("row {}", row));
    if (known) out += fmt::format("  1/sqrt(mean square + eps) = {}", hexfloat(s.r));
    out += fmt::format("\n  {:>6}  {:<24} {:<24} {:<9}", "col", "x", "w", "got");
    if (known) out += fmt::format(" {:<10} {:<9} {}", "cast_first", "ideal", "ulp");
    out += "\n";
    const auto input = [](Type type, float v) { return fmt::format("{} ({})", hexfloat(static_cast<double>(v)), hex(type, encode(type, v))); };
    for (std::int64_t n = 0; n < std::min<std::int64_t>(most, d); ++n) {
        const auto k = static_cast<std::size_t>(order[static_cast<std::size_t>(n)]);
        out += fmt::format("  {:>6}  {:<24} {:<24} {:<9}", k, input(x.type, s.x[k]), s.w.empty() ? "-" : input(t.find("w")->type, s.w[k]), hex(y.type, s.got[k]));
        if (known) out += fmt::format(" {:<10} {:<9} {:+.3f}", hex(y.type, s.cast_first[k]), hex(y.type, s.ideal[k]), error(static_cast<std::int64_t>(k)));
        out += "\n";
    }
    return out;
}

}  // namespace ulpgate
