// The same call twice: with its own strides, and with rows 2^30 elements apart at virtual addresses, so that row 4 lies 2^32
// elements in. An offset that is computed in 32 bits reads elsewhere or leaves every tensor.
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "impls/cuda/launch/call.hpp"
#include "impls/cuda/ptx/error.hpp"

namespace ulpgate::launch {
namespace {

constexpr std::int64_t apart = std::int64_t{1} << 30, rows_used = 5;

// The outputs of `a` in memory of their own, rows side by side.
class Outputs {
  public:
    Outputs(ulpgate_rmsnorm& a, std::int64_t rows) {
        for (ulpgate_tensor* t : {&a.y, &a.residual_out}) own(*t, rows);
        if (a.rstd.data) own_vector(a.rstd, rows);
        for (ulpgate_tensor* t : {&a.x, &a.residual})
            if (t->data) t->size[0] = rows;
        a.rows = a.tokens = rows;
        a.batch = 1;
    }
    bool operator==(const Outputs& o) const {
        for (std::size_t k = 0; k < pieces_.size(); ++k)
            if (std::memcmp(pieces_[k].first, o.pieces_[k].first, pieces_[k].second)) return false;
        return true;
    }

  private:
    void own(ulpgate_tensor& t, std::int64_t rows) {
        if (!t.data) return;
        t.size[0] = rows;
        t.stride[0] = (t.size[1] + 63) / 64 * 64;
        t.data = add(static_cast<std::size_t>(rows * t.stride[0]) * (t.type & 0xff) / 8);
    }
    void own_vector(ulpgate_tensor& t, std::int64_t rows) {
        t.size[0] = rows;
        t.data = add(static_cast<std::size_t>(rows) * 4);
    }
    // Aligned to 64 bytes, filled with the same bytes each time.
    void* add(std::size_t bytes) {
        auto& m = memory_.emplace_back((bytes + 127) / 64 * 16, 0x5a5a5a5au);
        const auto at = reinterpret_cast<std::uintptr_t>(m.data());
        auto* first = m.data() + (64 - at % 64) % 64 / 4;
        pieces_.emplace_back(first, bytes);
        return first;
    }
    std::vector<std::vector<std::uint32_t>> memory_;
    std::vector<std::pair<const std::uint32_t*, std::size_t>> pieces_;  // start at 64 bytes
};

}  // namespace

void Callable::check_spread(std::size_t entry, const ulpgate_rmsnorm& args) const {
    const Entry& e = description_.entries.at(entry);
    bool strided = false;
    for (const auto& l : e.launches)
        for (const auto& p : l.params) strided |= p.value == "x.row" || p.value == "y.row";
    if (!strided || args.rows < rows_used) return;
    ulpgate_rmsnorm near = args, far = args;
    const Outputs near_out(near, rows_used), far_out(far, rows_used);
    if (call(entry, Tensors(near)) != ULPGATE_OK) return;
    constexpr const char* hint = "an offset that is computed in 32 bits";
    try {
        Tensors spread(far);
        spread.spread(apart);
        if (call(entry, spread) != ULPGATE_OK) return;
    } catch (const ptx::Error& wrong) {
        throw ptx::Error(fmt::format("with rows 2^30 elements apart ({}?): {}", hint, wrong.what()));
    }
    if (!(near_out == far_out)) throw ptx::Error(fmt::format("with rows 2^30 elements apart the bits are others: {}", hint));
}

}  // namespace ulpgate::launch
