// PyTorch's CPU sum: LANES wide vectors in four streams, each a cascade of four levels; when a level has
// taken 2^power vectors it is added to the next and starts again. Then the levels; the vectors left over go
// to the first stream, then the streams; the columns left over in order, then the lanes in order. Formula:
// vectorized_inner_sum, row_sum, multi_row_sum of aten/src/ATen/native/cpu/SumKernel.cpp. Rows shorter than a
// vector take its scalar form.
#include <bit>

#include "reference/orders/order.hpp"

namespace ulpgate::orders {

struct AtenCascade {
    static constexpr std::size_t levels = 4, streams = 4;

    template <class A>
    typename A::S operator()(A a, std::size_t n, OrderParams p) const {
        const auto vector = static_cast<std::size_t>(p[0]), lanes = n < vector ? 1 : vector;
        const auto width = lanes * streams, rows = n / width, vectors = n / lanes;
        const std::size_t log2_rows = rows ? std::bit_width(rows - 1) : 0;
        const std::size_t power = std::max<std::size_t>(4, log2_rows / levels),
                          step = std::size_t{1} << power;
        std::vector<typename A::S> acc(levels * width, a.zero());  // [level][stream][lane]
        for (std::size_t i = 0; i < rows;) {
            for (const auto stop = std::min(rows, i + step); i < stop; ++i)
                for (std::size_t k = 0; k < width; ++k) acc[k] = a.mac(acc[k], i * width + k);
            if (i % step == 0) carry(a, acc, i, power, width);
        }
        for (std::size_t l = 1; l < levels; ++l)
            for (std::size_t k = 0; k < width; ++k) acc[k] = a.add(acc[k], acc[l * width + k]);
        for (std::size_t v = rows * streams; v < vectors; ++v)
            for (std::size_t k = 0; k < lanes; ++k) acc[k] = a.mac(acc[k], v * lanes + k);
        for (std::size_t s = 1; s < streams; ++s)
            for (std::size_t k = 0; k < lanes; ++k) acc[k] = a.add(acc[k], acc[s * lanes + k]);
        auto sum = a.zero();
        for (std::size_t i = vectors * lanes; i < n; ++i) sum = a.mac(sum, i);
        for (std::size_t k = 0; k < lanes; ++k) sum = a.add(sum, acc[k]);
        return sum;
    }

  private:
    // After i rows: level l - 1 moves into level l; the next level follows where l is full too.
    template <class A>
    static void carry(A& a, std::vector<typename A::S>& acc, std::size_t i, std::size_t power,
                      std::size_t width) {
        const auto mask = (std::size_t{1} << power) - 1;
        for (std::size_t l = 1; l < levels; ++l) {
            for (std::size_t k = 0; k < width; ++k) {
                auto& below = acc[(l - 1) * width + k];
                acc[l * width + k] = a.add(acc[l * width + k], below);
                below = a.zero();
            }
            if (i & (mask << (l * power))) break;
        }
    }
};
PIECE(Order, aten_cascade) = make_order<AtenCascade>("aten_cascade", "LANES", "8", "PyTorch on CPU");

}  // namespace ulpgate::orders
