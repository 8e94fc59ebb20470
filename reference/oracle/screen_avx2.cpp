#include "reference/oracle/screen.hpp"

#if defined(__x86_64__)
#include "reference/oracle/screen_bf16.hpp"
#include "reference/oracle/screen_f32.hpp"
#include "reference/oracle/screen_fp16.hpp"
#include "reference/oracle/screen_sum.hpp"

namespace ulpgate::screen {
namespace {

constexpr unsigned flags = 0x3f, underflow = 0x10, overflow = 0x08, standard = 0x1f80;  // of MXCSR: masked, to nearest, no FTZ, no DAZ

// To nearest with gradual underflow while it lives; the caller's mode and flags afterwards.
class Mode {
  public:
    Mode() : before_(_mm_getcsr()) { clear(); }
    ~Mode() { _mm_setcsr(before_); }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;
    static void clear() { _mm_setcsr(standard); }
    static bool out_of_range() { return _mm_getcsr() & (underflow | overflow); }

  private:
    unsigned before_;
};
static_assert((standard & flags) == 0);

// The hot loop calls nothing, since a call would spill every constant: it stops at a block with something undecided.
template <class F, Oracle oracle>
SCREEN_NOINLINE std::size_t decide(const Rows<F>& row, std::size_t i, const Scale& scale) {
    using L = Lanes<F, oracle>;
    const typename L::Constants k = L::constants(scale);
    const auto *x = row.x, *w = row.w;
    auto* y = row.y;
    const std::size_t d = row.d;
    for (; i + L::block <= d; i += L::block)
        if (__builtin_expect(L::block_undecided(x + i, w + i, y + i, k), 0)) break;
    return i;
}

template <class F, Oracle oracle>
SCREEN_NOINLINE std::uint32_t* list_block(const Rows<F>& row, std::size_t i, const Scale& scale, std::uint32_t* list) {
    using L = Lanes<F, oracle>;
    return L::list_undecided(row.x + i, row.w + i, row.y + i, L::constants(scale), i, list);
}

// Appends what is undecided to the list. d >= block; the last block may overlap the one before.
template <class F, Oracle oracle>
std::uint32_t* screen_row(const Rows<F>& row, const Scale& scale, std::uint32_t* list) {
    constexpr std::size_t block = Lanes<F, oracle>::block;
    for (std::size_t i = 0;; i += block) {
        i = decide<F, oracle>(row, i, scale);
        if (i + block > row.d) break;
        list = list_block<F, oracle>(row, i, scale, list);
    }
    if (row.d % block) {
        const std::size_t i = row.d - block;
        if (decide<F, oracle>(row, i, scale) == i) list = list_block<F, oracle>(row, i, scale, list);
    }
    return list;
}

// 1/sqrt(S/d + eps) of up to most_rows rows, four at a time; every operation rounds as a scalar one would.
SCREEN_NOINLINE void roots(const double (&s)[most_rows], double columns, double eps, double (&rms)[most_rows], double (&r)[most_rows]) {
    const __m256d d = _mm256_set1_pd(columns), e = _mm256_set1_pd(eps), one = _mm256_set1_pd(1);
    for (std::size_t j = 0; j < most_rows; j += 4) {
        const __m256d root = _mm256_sqrt_pd(_mm256_add_pd(_mm256_div_pd(_mm256_loadu_pd(s + j), d), e));
        _mm256_storeu_pd(rms + j, root);
        _mm256_storeu_pd(r + j, _mm256_div_pd(one, root));
    }
}

template <class F>
Rows<F> row_of(const Rows<F>& rows, std::size_t j) {
    return {rows.x + j * rows.d, rows.w, rows.y + j * rows.d, rows.d, rows.eps};
}

}  // namespace

template <class F, Oracle oracle>
void rows_avx2(const Rows<F>& job, std::size_t rows, std::uint32_t* list, Row* out) {
    const Margins m = margins<F>(oracle, job.d);
    double s[most_rows] = {}, rms[most_rows], r[most_rows];
    Scale scale[most_rows];
    const Mode mode;
    for (std::size_t j = 0; j < rows; ++j) s[j] = sum_of_squares<F>(job.x + j * job.d, job.d);
    roots(s, static_cast<double>(job.d), job.eps, rms, r);
    for (std::size_t j = 0; j < rows; ++j) {
        out[j].r = r[j];
        out[j].screened = job.d >= Lanes<F, oracle>::block && scale_row<F>(oracle, m, s[j], rms[j], r[j], scale[j]);
    }
    mode.clear();
    std::uint32_t* end = list;
    for (std::size_t j = 0; j < rows; ++j) {
        out[j].begin = end;
        if (out[j].screened) end = screen_row<F, oracle>(row_of(job, j), scale[j], end);
        out[j].end = end;
    }
    // An inexact underflow or an overflow somewhere: in which row? fp16 cannot leave f32's range; its conversions raise UE.
    if (F::precision == 11 || !mode.out_of_range()) return;
    for (std::size_t j = 0; j < rows; ++j) {
        if (!out[j].screened) continue;
        mode.clear();
        screen_row<F, oracle>(row_of(job, j), scale[j], end);
        out[j].screened = !mode.out_of_range();
    }
}

bool available() { return has_avx2(); }

}  // namespace ulpgate::screen
#else
namespace ulpgate::screen {
template <class F, Oracle oracle>
void rows_avx2(const Rows<F>&, std::size_t, std::uint32_t*, Row*) {}
bool available() { return false; }
}  // namespace ulpgate::screen
#endif

namespace ulpgate::screen {
template void rows_avx2<Bf16, Oracle::ideal>(const Rows<Bf16>&, std::size_t, std::uint32_t*, Row*);
template void rows_avx2<Bf16, Oracle::cast_first>(const Rows<Bf16>&, std::size_t, std::uint32_t*, Row*);
template void rows_avx2<Fp16, Oracle::ideal>(const Rows<Fp16>&, std::size_t, std::uint32_t*, Row*);
template void rows_avx2<Fp16, Oracle::cast_first>(const Rows<Fp16>&, std::size_t, std::uint32_t*, Row*);
template void rows_avx2<F32, Oracle::ideal>(const Rows<F32>&, std::size_t, std::uint32_t*, Row*);
template void rows_avx2<F32, Oracle::cast_first>(const Rows<F32>&, std::size_t, std::uint32_t*, Row*);
}  // namespace ulpgate::screen
