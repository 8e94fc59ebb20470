// The peers that are written most often: the formula in a big float, rounded once to the type.
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/mpfr.hpp>

#include "reference/formats/format.hpp"
#include "reports/bench/f64_loop.hpp"

namespace ulpgate::bench {
namespace {

template <class F, class Big>
typename F::Word nearest(const Big& v, bool negative) {
    const Big a = abs(v);
    std::uint64_t code = 0;
    if (a != 0) {
        int e = 0;
        frexp(a, &e);
        const int top = std::max(e - 1, F::emin);
        const Big steps = ldexp(a, F::mantissa_bits - top), whole = floor(steps), rest = steps - whole;
        code = whole.template convert_to<std::uint64_t>();
        code += rest > 0.5 || (rest == 0.5 && code % 2 == 1);
        code += static_cast<std::uint64_t>(top - F::emin) << F::mantissa_bits;
        if (code > F::max_word) code = F::inf_word;
    }
    return static_cast<typename F::Word>(code | (negative ? F::sign_bit : 0));
}

template <class F, class Big>
void first_row(Oracle oracle, const PackedRows& job) {
    using Word = typename F::Word;
    const auto *x = static_cast<const Word*>(job.x), *w = static_cast<const Word*>(job.w);
    auto* y = static_cast<Word*>(job.y);
    Big s = 0;
    for (std::size_t j = 0; j < job.d; ++j) s += Big(F::decode(x[j])) * F::decode(x[j]);
    const Big r = 1 / sqrt(Big(s / job.d + job.eps));
    for (std::size_t j = 0; j < job.d; ++j) {
        const float gain = F::decode(w[j]);
        const bool negative = (x[j] ^ w[j]) & F::sign_bit;
        Big n = Big(F::decode(x[j])) * r;
        if (oracle == Oracle::cast_first) n = F::decode(nearest<F, Big>(n, x[j] & F::sign_bit));
        y[j] = nearest<F, Big>(n * gain, negative);
    }
}

template <class Big>
Side side(Oracle oracle, const PackedRows& job, const std::string& name) {
    return {name, [oracle, &job] {
        if (job.type == Type::bf16) first_row<Bf16, Big>(oracle, job);
        else if (job.type == Type::fp16) first_row<Fp16, Big>(oracle, job);
        else first_row<F32, Big>(oracle, job);
    }, static_cast<double>(job.d)};
}

}  // namespace

std::vector<Side> big_float_row(Oracle oracle, const PackedRows& job, const std::string& which) {
    using namespace boost::multiprecision;
    if (which == "mpfr_float_50") return {side<mpfr_float_50>(oracle, job, which)};
    return {side<cpp_bin_float_100>(oracle, job, which)};
}

}  // namespace ulpgate::bench
