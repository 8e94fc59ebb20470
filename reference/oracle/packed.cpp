#include "reference/oracle/packed.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference/formats/convert.hpp"
#include "reference/oracle/ladder.hpp"
#include "reference/oracle/screen.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate {
namespace {

template <class F>
using Word = typename F::Word;

template <class F>
std::vector<float> decoded(const Word<F>* words, std::size_t n) {
    std::vector<float> v(n);
    decode_words(type_of<F>, reinterpret_cast<const std::byte*>(words), v);
    return v;
}

// A row by oracle_row: what the screen does not take.
template <class F>
void whole_row(Oracle oracle, const screen::Rows<F>& row, std::span<const float> w, OracleStats& stats) {
    const std::vector<float> x = decoded<F>(row.x, row.d);
    std::vector<std::uint32_t> y(row.d);
    const Type t = type_of<F>;
    oracle_row_f64(oracle, {t, t, t}, x, w, row.eps, y, &stats);
    for (std::size_t j = 0; j < row.d; ++j) row.y[j] = static_cast<Word<F>>(y[j]);
}

// The columns that L0 left, by L1 and then by the rest of the ladder.
template <class F, Oracle oracle>
class Rest {
  public:
    Rest(const screen::Rows<F>& row, double r, OracleStats& stats) : row_(row), r_(r), stats_(stats) {}

    void decide(std::size_t j) {
        const double x = F::decode(row_.x[j]), w = F::decode(row_.w[j]);
        if constexpr (oracle == Oracle::ideal) row_.y[j] = rounded(x * w);
        else row_.y[j] = F::encode(w * static_cast<double>(F::decode(rounded(x))));  // exact in double
    }

  private:
    Word<F> rounded(double q) {
        if (!std::isfinite(q)) return F::encode(q);  // the gain's
        Word<F> word;
        if (round_certain<F>(q * r_, word, screen::radius_ulp64(row_.d))) {
            stats_.l1++;
            return word;
        }
        if (!ladder_) {
            x_ = decoded<F>(row_.x, row_.d);
            ladder_.emplace(x_, row_.eps, stats_);
        }
        return ladder_->template round<F>(q);
    }

    const screen::Rows<F>& row_;
    double r_;
    OracleStats& stats_;
    std::vector<float> x_;
    std::optional<Ladder> ladder_;
};

// Columns whose gain is Inf or NaN: IEEE rules, and NaN in one form. Nearly always none, which lanes say fast.
// Only where the screen runs, so AVX2 is there.
template <class F>
ULPGATE_AVX2 bool all_finite(const Word<F>* w, std::size_t d) {
    constexpr std::size_t lanes = 64;
    Word<F> most[lanes] = {};
    std::size_t j = 0;
    for (; j + lanes <= d; j += lanes)
        for (std::size_t k = 0; k < lanes; ++k) most[k] = std::max(most[k], static_cast<Word<F>>(w[j + k] & F::abs_mask));
    for (; j < d; ++j) most[0] = std::max(most[0], static_cast<Word<F>>(w[j] & F::abs_mask));
    return F::is_finite(*std::max_element(most, most + lanes));
}
template <class F>
std::vector<std::size_t> not_finite(const Word<F>* w, std::size_t d) {
    std::vector<std::size_t> out;
    if (all_finite<F>(w, d)) return out;
    for (std::size_t j = 0; j < d; ++j)
        if (!F::is_finite(w[j])) out.push_back(j);
    return out;
}

template <class F, Oracle oracle>
void screened_rows(const screen::Rows<F>& all, std::size_t rows, OracleStats& stats) {
    const std::size_t group = screen::group_size<F>(all.d, rows);
    const auto list = std::make_unique_for_overwrite<std::uint32_t[]>(screen::list_room(all.d, group));
    const auto odd_gains = not_finite<F>(all.w, all.d);
    std::vector<float> w;
    screen::Row state[screen::most_rows];
    for (std::size_t at = 0; at < rows; at += group) {
        const std::size_t n = std::min(group, rows - at);
        const screen::Rows<F> part{all.x + at * all.d, all.w, all.y + at * all.d, all.d, all.eps};
        screen::rows_avx2<F, oracle>(part, n, list.get(), state);
        for (std::size_t k = 0; k < n; ++k) {
            const screen::Rows<F> row{part.x + k * all.d, all.w, part.y + k * all.d, all.d, all.eps};
            if (!state[k].screened) {
                if (w.empty()) w = decoded<F>(all.w, all.d);
                whole_row(oracle, row, w, stats);
                continue;
            }
            stats.elements += all.d;
            Rest<F, oracle> rest(row, state[k].r, stats);
            for (const auto* j = state[k].begin; j != state[k].end; ++j) rest.decide(*j);
            for (const std::size_t j : odd_gains) rest.decide(j);
        }
    }
}

template <class F>
void rows_of_format(Oracle oracle, const PackedRows& job, bool screened, OracleStats& stats) {
    screen::Rows<F> all{static_cast<const Word<F>*>(job.x), static_cast<const Word<F>*>(job.w), static_cast<Word<F>*>(job.y), job.d, job.eps};
    std::vector<Word<F>> ones;
    if (!all.w) {
        ones.assign(job.d, F::encode(1.0f));
        all.w = ones.data();
    }
    if (screened) return oracle == Oracle::ideal ? screened_rows<F, Oracle::ideal>(all, job.rows, stats) : screened_rows<F, Oracle::cast_first>(all, job.rows, stats);
    const std::vector<float> w = decoded<F>(all.w, job.d);
    for (std::size_t k = 0; k < job.rows; ++k) whole_row<F>(oracle, {all.x + k * job.d, all.w, all.y + k * job.d, job.d, job.eps}, w, stats);
}

void rows_of_type(Oracle oracle, const PackedRows& job, bool screened, OracleStats* stats) {
    OracleStats unused;
    OracleStats& count = stats ? *stats : unused;
    if (job.type == Type::bf16) rows_of_format<Bf16>(oracle, job, screened, count);
    else if (job.type == Type::fp16) rows_of_format<Fp16>(oracle, job, screened, count);
    else if (job.type == Type::f32) rows_of_format<F32>(oracle, job, screened, count);
    else __builtin_trap();  // a caller's bug
}

}  // namespace

void oracle_rows(Oracle oracle, const PackedRows& job, OracleStats* stats) { rows_of_type(oracle, job, screen::available(), stats); }

void portable::oracle_rows(Oracle oracle, const PackedRows& job, OracleStats* stats) { rows_of_type(oracle, job, false, stats); }

}  // namespace ulpgate
