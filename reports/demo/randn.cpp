#include "reports/demo/randn.hpp"

#include <vector>

#include "reference/base/rng.hpp"

namespace ulpgate {

Tensors randn(const Op& op, const Contract& c, std::int64_t rows, std::int64_t d, std::uint64_t seed) {
    Sizes n;
    op.defaults(n);
    n[Dim::tokens] = rows;
    n[op.d] = d;
    op.derive(n);
    Tensors t = lay_out(op, c, n);
    std::vector<float> row(static_cast<std::size_t>(d));
    constexpr float unit = 0x1p-16f;  // of Rng::gauss
    for (auto& v : t.all) {
        if (!v.spec->input()) continue;
        const bool gain = v.spec->name == "w";
        for (std::int64_t i = 0; i < v.rows(); ++i) {
            Rng r(seed, gain ? 1 : 2, static_cast<std::uint64_t>(i));
            for (float& e : row) e = gain ? 1.0f + static_cast<float>(r.gauss()) * unit / 8 : static_cast<float>(r.gauss()) * unit;
            v.write_row(i, row);
        }
    }
    return t;
}

}  // namespace ulpgate
