// One call of an RMSNorm entry, held to the restatement bit for bit: outputs, canaries, inputs.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "impls/testing/matrix.hpp"
#include "impls/testing/module.hpp"
#include "impls/testing/restated.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::testing {

struct Shape {
    std::int64_t rows = 2, d = 7;
    std::int64_t x_gap = 0, y_gap = 0;  // elements between rows
    int offset = 0;                     // elements off a 64-byte boundary
    std::uint32_t threads = 1;
    bool in_place = false;
    std::int64_t column = 1;  // column stride
    double eps = 1e-6;
    std::uint64_t seed = 1;

    std::string text() const {
        return "rows " + std::to_string(rows) + " d " + std::to_string(d) + " gaps " + std::to_string(x_gap) +
               "," + std::to_string(y_gap) + " offset " + std::to_string(offset) + " threads " +
               std::to_string(threads) + (in_place ? " in place" : "");
    }
};

inline Contract contract_of(const ulpgate_entry& e) {
    Claim claim;
    const auto bad = parse(e.contract, claim);
    EXPECT_FALSE(bad) << e.contract << ": " << bad->what;
    return claim.empty() ? Contract{} : claim.front();
}

// Row `i`: by turns near Gaussian, of any magnitude (where the order of summation shows), any words at all,
// and zeros with one special value.
inline void fill_row(Matrix& m, std::int64_t i, std::int64_t d, Rng& rng) {
    const Type t = m.type();
    const std::uint32_t mask = bytes(t) == 4 ? ~0u : 0xffffu;
    for (std::int64_t j = 0; j < d; ++j) {
        const float gauss = static_cast<float>(rng.gauss()) * 0x1p-16f;
        std::uint32_t word = encode(t, gauss);
        if (i % 4 == 1) word = encode(t, std::ldexp(gauss, -rng.between(0, 14)));
        if (i % 4 == 2) word = static_cast<std::uint32_t>(rng.next()) & mask;
        if (i % 4 == 3) word = 0;
        m.set(i, j, word);
    }
    if (i % 8 == 3)
        m.set(i, static_cast<std::int64_t>(rng.below(static_cast<std::uint32_t>(d))), encode(t, -INFINITY));
    if (i % 8 == 7)
        m.set(i, static_cast<std::int64_t>(rng.below(static_cast<std::uint32_t>(d))), encode(t, NAN));
}

inline Matrix filled(Type t, const Shape& s, std::uint64_t stream) {
    Matrix m(t, s.rows, s.d, s.d * s.column + s.x_gap, s.offset, s.column);
    for (std::int64_t i = 0; i < s.rows; ++i) {
        Rng rng(s.seed, stream, static_cast<std::uint64_t>(i));
        fill_row(m, i, s.d, rng);
    }
    return m;
}

// Whether the call's outputs equal the restatement in every bit and it touched nothing else. A failure says
// where.
inline ::testing::AssertionResult equals_restated(const ulpgate_entry& entry, Tree tree, const Shape& s) {
    const Contract c = contract_of(entry);
    const bool residual = c.residual != Residual::none;
    Matrix x = filled(c.x, s, 1), res = filled(c.res, s, 2);
    Matrix y(c.y, s.rows, s.d, s.d * s.column + s.y_gap, s.offset, s.column);
    Matrix res_out(c.res, s.rows, s.d, s.d * s.column + s.y_gap, s.offset, s.column);
    Matrix w(c.w, s.d, s.offset);
    Rng gain(s.seed, 3, 0);
    for (std::int64_t j = 0; j < s.d; ++j)
        w.set(0, j, encode(c.w, static_cast<float>(gain.gauss()) * 0x1p-16f));

    std::vector<RestatedRow> expected;
    for (std::int64_t i = 0; i < s.rows; ++i)
        expected.push_back(restated(c, tree, x.row(i), w.row(0), res.row(i), s.eps));
    const auto x_before = x.memory(), w_before = w.memory(), res_before = res.memory();

    ulpgate_rmsnorm a{};
    a.call.size = sizeof a;
    a.call.entry = &entry;
    a.call.threads = s.threads;
    a.rows = a.tokens = s.rows;
    a.batch = 1;
    a.d = a.d_stat = s.d;
    a.eps = s.eps;
    a.x = x.tensor();
    a.w = w.tensor();
    a.y = s.in_place ? a.x : y.tensor();
    if (residual) {
        a.residual = res.tensor();
        a.residual_out = s.in_place ? a.residual : res_out.tensor();
    }
    const auto fail = [&](const std::string& what) {
        return ::testing::AssertionFailure() << entry.contract << ", " << s.text() << ": " << what;
    };
    if (const int status = entry.rmsnorm(&a); status != ULPGATE_OK)
        return fail("returned " + std::to_string(status));

    const Matrix &written = s.in_place ? x : y, &written_res = s.in_place ? res : res_out;
    for (std::int64_t i = 0; i < s.rows; ++i)
        for (std::int64_t j = 0; j < s.d; ++j) {
            const auto at = [&](const char* tensor, std::uint32_t right, std::uint32_t got) {
                char text[96];
                std::snprintf(text, sizeof text, "%s row %ld col %ld: right %x, got %x", tensor, long(i),
                              long(j), right, got);
                return fail(text);
            };
            const auto& row = expected[static_cast<std::size_t>(i)];
            const auto k = static_cast<std::size_t>(j);
            if (!same(c.y, row.y[k], written.get(i, j))) return at("y", row.y[k], written.get(i, j));
            if (residual && !same(c.res, row.residual_out[k], written_res.get(i, j)))
                return at("residual_out", row.residual_out[k], written_res.get(i, j));
        }
    if (!written.canaries_intact()) return fail("wrote outside y");
    if (!written_res.canaries_intact()) return fail("wrote outside residual_out");
    if (w.memory() != w_before) return fail("changed w");
    if (!s.in_place && x.memory() != x_before) return fail("changed x");
    if (!s.in_place && res.memory() != res_before) return fail("changed residual");
    return ::testing::AssertionSuccess();
}

inline constexpr std::int64_t edge_sizes[] = {1,   2,   3,   7,    8,    9,    15,   16,   17,  31,
                                              32,  33,  63,  64,   65,   127,  128,  129,  511, 512,
                                              513, 768, 769, 1535, 1536, 1537, 7167, 7168, 7169};

}  // namespace ulpgate::testing
