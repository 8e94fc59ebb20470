#include "reports/demo/allclose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ulpgate {

AllClose all_close(const Tensors& t, const Outcome& o, double atol, double rtol) {
    AllClose a;
    const Tensor *x = t.find("x"), *w = t.find("w"), *y = t.find("y");
    const auto k = static_cast<std::size_t>(y - t.all.data());
    const auto d = static_cast<std::size_t>(x->width());
    std::vector<float> in(d), gain(d, 1.0f), out(d);
    if (w) w->read_row(0, gain);
    for (std::int64_t row = 0; row < x->rows(); ++row) {
        x->read_row(row, in);
        unpack(y->type, o.out[k].data() + static_cast<std::size_t>(row) * d * static_cast<std::size_t>(bytes(y->type)), out);
        float s = 0;
        for (float v : in) s += v * v;
        const float r = 1.0f / std::sqrt(s / static_cast<float>(d) + static_cast<float>(t.eps));
        for (std::size_t j = 0; j < d; ++j) {
            const double reference = static_cast<double>(gain[j] * (in[j] * r));
            const double off = std::fabs(static_cast<double>(out[j]) - reference) / (atol + rtol * std::fabs(reference));
            a.close = a.close && off <= 1;
            a.largest = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(a.largest, off);
        }
    }
    a.elements = y->count();
    return a;
}

}  // namespace ulpgate
