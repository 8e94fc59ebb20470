// The projections' PTX, executed, against a restatement on the host: the same bits for every shape, stride and address.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

#include "impls/cuda/launch/images.hpp"
#include "impls/cuda/ptx/decode.hpp"
#include "impls/cuda/ptx/machine.hpp"
#include "reference/base/rng.hpp"
#include "reference/tensor_core/sum.hpp"
#include "reference/tensor_core/tile.hpp"

namespace ulpgate {
namespace {

struct View {
    void* p;
    std::int64_t batch, head, token, column;
};
struct Projection {  // projection.cuh
    const void *x, *w, *bias;
    const float* scale;
    std::int64_t x_batch, x_token, x_head, w_row, w_head, scale_row;
    View whole, tap, nope, pe;
    int tokens, all_tokens, outs, depth, nope_size, rope_size, bias_after, logits;
};

const ptx::Program& program(const std::string& arch, const std::string& kernel) {
    static std::map<std::string, ptx::Module> modules;
    static std::map<std::string, ptx::Program> programs;
    auto& m = modules[arch];
    if (m.kernels.empty()) m = ptx::parse_module(launch::ptx_image(ULPGATE_SOURCE "/impls/cuda/query/emitted/query." + arch + ".ptx", arch).ptx);
    auto& p = programs[arch + kernel];
    if (p.code.empty()) p = ptx::decode(m, *m.find(kernel));
    return p;
}

struct Shape {
    int batch, tokens, outs, depth, off, apart;  // elements that addresses are off 16 bytes, and that rows are further apart
};

template <class F>
class Case {
  public:
    using Word = typename F::Word;
    explicit Case(Shape s, std::uint64_t seed) : s_(s), pitch_((s.depth + 7) / 8 * 8 + s.apart), x_(make(rows() * pitch_)), w_(make(s.outs * pitch_)), y_(static_cast<std::size_t>(rows() * s.outs) + 64) {
        Rng rng(seed, static_cast<std::uint64_t>(s.depth), static_cast<std::uint64_t>(s.outs));
        const auto fill = [&](std::vector<Word>& v) {
            for (auto& w : v) w = F::encode(std::ldexp(static_cast<float>(static_cast<int>(rng.below(513)) - 256), static_cast<int>(rng.below(12)) - 14));
        };
        fill(x_), fill(w_);
    }
    int rows() const { return s_.batch * s_.tokens; }
    // What follows the projection's words: of a kernel that norms its tokens.
    struct Norm {
        const Word* gain;
        float eps;
    };
    std::vector<Word> run(const std::string& arch, const std::string& kernel, int block_tokens, std::optional<Norm> norm = {}) {
        Projection p{};
        const Word *x = at(x_), *w = at(w_);
        Word* y = y_.data();
        std::fill(y_.begin(), y_.end(), Word{0xaaaa});
        p.x = x, p.w = w;
        p.x_token = p.w_row = pitch_;
        p.x_batch = pitch_ * s_.tokens;
        p.whole = {y, std::int64_t{s_.tokens} * s_.outs, 0, s_.outs, 1};
        p.tokens = s_.tokens, p.all_tokens = rows(), p.outs = s_.outs, p.depth = s_.depth;
        ptx::Memory memory;
        memory.add("x", const_cast<Word*>(x), bytes(rows()), false);
        memory.add("w", const_cast<Word*>(w), bytes(s_.outs), false);
        memory.add("y", y, static_cast<std::uint64_t>(rows() * s_.outs) * sizeof(Word), true);
        ptx::Launch l;
        l.grid = {static_cast<std::uint32_t>((s_.outs + 63) / 64), static_cast<std::uint32_t>((rows() + block_tokens - 1) / block_tokens), 1};
        l.block.x = 128;
        l.parameters.resize(sizeof p);
        std::memcpy(l.parameters.data(), &p, sizeof p);
        if (norm) {
            memory.add("gain", const_cast<Word*>(norm->gain), static_cast<std::uint64_t>(s_.depth) * sizeof(Word), false);
            l.parameters.resize(sizeof p + 12);  // a pointer and a float
            std::memcpy(l.parameters.data() + sizeof p, &norm->gain, 8);
            std::memcpy(l.parameters.data() + sizeof p + 8, &norm->eps, 4);
        }
        ptx::run(program(arch, kernel), l, memory);
        return {y, y + rows() * s_.outs};
    }
    // Tiles of 16 outputs and 8 tokens, 16 columns at a time from +0.
    std::vector<Word> restated(const TensorCore& core) const {
        std::vector<Word> y(static_cast<std::size_t>(rows() * s_.outs));
        for (int o = 0; o < s_.outs; o += tile_rows)
            for (int t = 0; t < rows(); t += tile_columns) {
                float d[tile_rows * tile_columns]{};
                for (int k = 0; k < s_.depth; k += 16) {
                    Word a[tile_rows * 16]{}, b[tile_columns * 16]{};
                    for (int e = 0; e < std::min(16, s_.depth - k); ++e) {
                        for (int r = 0; r < std::min(tile_rows, s_.outs - o); ++r) a[16 * r + e] = at(w_)[(o + r) * pitch_ + k + e];
                        for (int c = 0; c < std::min(tile_columns, rows() - t); ++c) b[16 * c + e] = at(x_)[(t + c) * pitch_ + k + e];
                    }
                    tensor_core_tile<F>(core, 16, a, b, d);
                }
                for (int r = 0; r < std::min(tile_rows, s_.outs - o); ++r)
                    for (int c = 0; c < std::min(tile_columns, rows() - t); ++c) y[static_cast<std::size_t>((t + c) * s_.outs + o + r)] = F::encode(d[r * tile_columns + c]);
            }
        return y;
    }

    // The tokens as the norm's kernel leaves them: partial sums of threads x 8 elements by fused multiply-add, halved within each
    // warp and then over the warps; T(w T(x r)).
    std::size_t norm_threads() const { return static_cast<std::size_t>(std::min(1024, (s_.depth + 255) / 256 * 32)); }
    void norm(const Norm& n) { norm(n, norm_threads()); }
    void norm(const Norm& n, std::size_t threads) {
        for (int row = 0; row < rows(); ++row) {
            Word* const x = at(x_) + row * pitch_;
            std::vector<float> part(threads), warps(32);
            for (int k = 0; k < s_.depth; ++k) {
                float& p = part[static_cast<std::size_t>(k / 8) % threads];
                p = std::fma(F::decode(x[k]), F::decode(x[k]), p);
            }
            for (std::size_t w = 0; w < threads / 32; ++w) warps[w] = halved(&part[32 * w]);
            const float r = 1.0f / std::sqrt(halved(warps.data()) / static_cast<float>(s_.depth) + n.eps);
            for (int k = 0; k < s_.depth; ++k) x[k] = F::encode(F::decode(F::encode(F::decode(x[k]) * r)) * F::decode(n.gain[k]));
        }
    }

    const Word* token(int row) const { return at(x_) + row * pitch_; }
    // Output 0 is column k of each token, the others are 0.
    void only(int k) {
        std::fill(w_.begin(), w_.end(), Word{0});
        at(w_)[k] = F::encode(1.0f);
    }

  private:
    static float halved(float* v) {
        for (int half = 16; half; half /= 2)
            for (int l = 0; l < half; ++l) v[l] += v[l + half];
        return v[0];
    }
    static std::vector<Word> make(std::int64_t n) { return std::vector<Word>(static_cast<std::size_t>(n) + 32); }
    // The first element: at 16 bytes, and `off` elements more.
    template <class V>
    auto* at(V& v) const {
        auto* p = v.data();
        return p + (16 - reinterpret_cast<std::uintptr_t>(p) % 16) % 16 / sizeof(Word) + s_.off;
    }
    std::uint64_t bytes(int rows) const { return static_cast<std::uint64_t>((rows - 1) * pitch_ + s_.depth) * sizeof(Word); }

    Shape s_;
    std::int64_t pitch_;
    std::vector<Word> x_, w_, y_;
};

constexpr Shape shapes[] = {{1, 1, 64, 64, 0, 0},  {1, 1, 1, 1, 0, 0},     {1, 3, 65, 200, 0, 0},  {2, 5, 48, 136, 0, 8},  {1, 9, 130, 72, 0, 0},
                            {1, 33, 80, 96, 0, 0}, {3, 11, 17, 250, 0, 16}, {1, 8, 64, 257, 1, 0},  {2, 2, 70, 100, 3, 0},  {1, 4, 63, 199, 0, 3}};

template <class F>
void same_bits(const std::string& arch, const TensorCore& core, const std::string& type) {
    for (const Shape& s : shapes) {
        Case<F> c(s, 7);
        const auto right = c.restated(core);
        for (const int tokens : {8, 32}) {
            const auto got = c.run(arch, "tensor_core_" + type + "_" + std::to_string(tokens), tokens);
            int differing = 0;
            for (std::size_t k = 0; k < right.size(); ++k) differing += got[k] != right[k];
            EXPECT_EQ(differing, 0) << arch << " " << type << " " << tokens << ": " << s.batch << "x" << s.tokens << " tokens, " << s.outs << " x " << s.depth << " off " << s.off << " apart " << s.apart;
        }
    }
}
TEST(CudaQuery, ProjectionsAreTheirRestatement) {
    same_bits<Bf16>("sm_80", ampere, "bf16");
    same_bits<Fp16>("sm_80", ampere, "fp16");
    same_bits<Bf16>("sm_90", hopper, "bf16");
    same_bits<Fp16>("sm_90", hopper, "fp16");
}

// The norm in the projection's prologue: the bits of the norm followed by the projection, for rows that are aligned or not, of one
// warp's vectors and of more than 1,024 threads'.
template <class F>
void normed(const std::string& arch, const TensorCore& core, const std::string& type) {
    using C = Case<F>;
    for (const Shape& s : {Shape{1, 1, 64, 64, 0, 0}, Shape{1, 3, 65, 200, 0, 0}, Shape{2, 4, 70, 1536, 0, 576}, Shape{1, 8, 64, 257, 1, 0}, Shape{1, 5, 20, 299, 0, 3}, Shape{1, 2, 16, 8200, 0, 0}}) {
        C c(s, 11);
        std::vector<typename F::Word> gain(static_cast<std::size_t>(s.depth));
        for (int k = 0; k < s.depth; ++k) gain[static_cast<std::size_t>(k)] = F::encode(0.5f + static_cast<float>(k % 37) / 32);
        const typename C::Norm n{gain.data(), 1e-6f};
        const auto got = c.run(arch, "tensor_core_normed_" + type + "_8", 8, n), bare = c.restated(core);
        c.norm(n);
        const auto right = c.restated(core);
        EXPECT_NE(right, bare);
        int differing = 0;
        for (std::size_t k = 0; k < right.size(); ++k) differing += got[k] != right[k];
        EXPECT_EQ(differing, 0) << arch << " " << type << ": " << s.batch << "x" << s.tokens << " tokens, " << s.outs << " x " << s.depth << " off " << s.off << " apart " << s.apart;
        // and of the sequence itself: the projection of what the norm gives
        EXPECT_EQ(c.run(arch, "tensor_core_" + type + "_8", 8), got);
    }
}
TEST(CudaQuery, ANormInThePrologueIsTheNormBeforeIt) {
    normed<Bf16>("sm_80", ampere, "bf16");
    normed<Fp16>("sm_80", ampere, "fp16");
    normed<Bf16>("sm_90", hopper, "bf16");
    normed<Fp16>("sm_90", hopper, "fp16");
}

// Another order of its sum is another norm, in one element of some thousand: an element that tells them apart, alone in an output.
TEST(CudaQuery, ANormInThePrologueSumsInTheOrderOfTheNorm) {
    using C = Case<Fp16>;
    const std::vector<Fp16::Word> gain(1536, Fp16::encode(1.0f));
    const C::Norm n{gain.data(), 1e-6f};
    const Shape shape{1, 8, 1, 1536, 0, 0};
    int told_apart = 0;
    for (std::uint64_t seed = 0; seed < 1024 && told_apart < 4; ++seed) {
        C right(shape, seed), other(shape, seed), ran(shape, seed);
        right.norm(n), other.norm(n, 128);
        for (int row = 0; row < 8; ++row)
            for (int k = 0; k < 1536; ++k) {
                if (right.token(row)[k] == other.token(row)[k]) continue;
                ran.only(k);
                EXPECT_EQ(ran.run("sm_80", "tensor_core_normed_fp16_8", 8, n)[static_cast<std::size_t>(row)], right.token(row)[k]) << "seed " << seed << ", token " << row << ", column " << k;
                ++told_apart, k = 1536;
            }
    }
    EXPECT_GE(told_apart, 4);
}

// Codes of e4m3 with a scale a block of 128 x 128, against the sum that the claim names: chains of 128 columns, scaled in f32.
void coded(const std::string& arch, const std::string& sum_text) {
    const auto sum = *find_tensor_core_sum(sum_text);
    for (const Shape& s : {Shape{1, 1, 64, 128, 0, 0}, Shape{1, 3, 200, 300, 0, 0}, Shape{1, 9, 130, 257, 1, 0}, Shape{1, 33, 65, 64, 0, 5}, Shape{1, 2, 1, 1, 0, 0}}) {
        Rng rng(5, static_cast<std::uint64_t>(s.depth), static_cast<std::uint64_t>(s.outs));
        const auto at = [](std::int64_t n) { return static_cast<std::size_t>(n); };
        const std::int64_t row = (s.depth + 15) / 16 * 16 + s.apart, scale_row = (s.depth + 127) / 128;
        std::vector<std::uint16_t> x(at(s.tokens * row)), y(at(s.tokens * s.outs));
        std::vector<std::uint8_t> codes(at(s.outs * row + 32));
        std::vector<float> scale(at((s.outs + 127) / 128 * scale_row));
        for (auto& v : x) v = Bf16::encode(std::ldexp(static_cast<float>(static_cast<int>(rng.below(511)) - 255), static_cast<int>(rng.below(9)) - 12));
        for (auto& v : codes) v = static_cast<std::uint8_t>(rng.below(127) | rng.below(2) << 7);  // no NaN
        for (auto& v : scale) v = static_cast<float>(1 + rng.below(1u << 20)) * 0x1p-22f * (rng.below(2) ? 1.0f : -1.0f);
        std::uint8_t* const w = codes.data() + (16 - reinterpret_cast<std::uintptr_t>(codes.data()) % 16) % 16 + s.off;
        const auto floats = [&](auto f, const auto* from) {
            std::vector<float> v(at(s.depth));
            for (int k = 0; k < s.depth; ++k) v[at(k)] = f.decode(from[k]);
            return v;
        };
        std::vector<std::uint16_t> right(y.size());
        for (int t = 0; t < s.tokens; ++t)
            for (int o = 0; o < s.outs; ++o)
                right[at(t * s.outs + o)] = Bf16::encode(tensor_core_sum<Bf16>(sum, floats(Bf16{}, &x[at(t * row)]), floats(E4m3{}, w + o * row), std::span(scale).subspan(at(o / 128 * scale_row), at(scale_row)), 128));
        for (const int tokens : {8, 32}) {
            Projection p{};
            p.x = x.data(), p.w = w, p.scale = scale.data();
            p.x_token = p.w_row = row, p.scale_row = scale_row, p.x_batch = row * s.tokens;
            p.whole = {y.data(), 0, 0, s.outs, 1};
            p.tokens = p.all_tokens = s.tokens, p.outs = s.outs, p.depth = s.depth;
            std::fill(y.begin(), y.end(), std::uint16_t{0xaaaa});
            ptx::Memory memory;
            memory.add("x", x.data(), x.size() * 2, false);
            memory.add("w", w, static_cast<std::uint64_t>((s.outs - 1) * row + s.depth), false);
            memory.add("scale", scale.data(), scale.size() * 4, false);
            memory.add("y", y.data(), y.size() * 2, true);
            ptx::Launch l;
            l.grid = {static_cast<std::uint32_t>((s.outs + 63) / 64), static_cast<std::uint32_t>((s.tokens + tokens - 1) / tokens), 1};
            l.block.x = 128;
            l.parameters.resize(sizeof p);
            std::memcpy(l.parameters.data(), &p, sizeof p);
            ptx::run(program(arch, "tensor_core_e4m3_bf16_" + std::to_string(tokens)), l, memory);
            EXPECT_EQ(y, right) << arch << " " << tokens << ": " << s.tokens << " tokens, " << s.outs << " x " << s.depth << " off " << s.off << " apart " << s.apart;
        }
    }
}
TEST(CudaQuery, CodesAreSummedByScale) {
    coded("sm_80", "mma:8x24:128");
    coded("sm_90", "mma:16x25:128");
}

// The restatement sees the architecture: an H100's projection is not an A100's.
TEST(CudaQuery, ArchitecturesDiffer) {
    Case<Fp16> c({1, 8, 256, 512, 0, 0}, 3);
    EXPECT_NE(c.restated(ampere), c.restated(hopper));
    EXPECT_NE(c.run("sm_90", "tensor_core_fp16_8", 8), c.restated(ampere));
}

TEST(CudaQuery, NothingIsLeftToContract) {
    for (const char* arch : {"sm_80", "sm_90"}) {
        const auto m = ptx::parse_module(launch::ptx_image(std::string(ULPGATE_SOURCE "/impls/cuda/query/emitted/query.") + arch + ".ptx", arch).ptx);
        EXPECT_EQ(m.kernels.size(), 21u);
        for (const auto& k : m.kernels) {
            EXPECT_EQ(ptx::contractable(k).size(), 0u) << k.name;
            EXPECT_EQ(ptx::approximate_count(k), 0u) << k.name;
        }
    }
}

}  // namespace
}  // namespace ulpgate
