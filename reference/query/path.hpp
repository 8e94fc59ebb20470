// The query path and the head, stage by stage: what a contract allows of each stage given what enters it, the same carried
// from h to q, and bit-exact restatements. A token depends on its own row of h alone: a NaN there changes no other's bits.
//
//   a = T(h a^T [+ bias]) -> norm (row set of RMSNorm, latent eps) -> b = T(norm q_b^T) -> rope -> q[token, head, j]
//   kv=fused: the rest of a -> norm of its first kv_rank columns, rope of the others -> k_input
//   absorb: T(q_nope k_c^T), q_pe -> q_absorbed
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688 and 767-774.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/admissible/statistic.hpp"
#include "reference/query/projection.hpp"
#include "reference/query/rope.hpp"

namespace ulpgate {

struct QueryModel {
    Contract contract;
    QueryPieces pieces;
    std::string fault;  // "" or its kind
};

class QueryPath {
  public:
    // tensors of mla_query or head; keeps a reference.
    QueryPath(const Tensors&, const QueryModel&);

    std::int64_t tokens() const { return tokens_; }
    bool has_rank() const { return rank_ > 0; }
    std::vector<float> input(std::int64_t token) const;

    // Each stage on what enters it.
    const std::vector<Projected>& first(const Ranges& h);
    Ranges norm(const Ranges& a) const;  // of the q slice of a
    const std::vector<Projected>& second(const Ranges& z);  // of the head: its logits, before they are widened
    Ranges rope(std::int64_t token, const Ranges& q) const;  // q_b's output with every q_pe rotated, where the contract has it
    Ranges absorbed(std::int64_t token, std::int64_t head, const std::vector<Ranges>& rotated);  // kv_rank columns, then q_pe
    Ranges k_input(std::int64_t token, const Ranges& a) const;  // kv_rank columns, then k_pe
    struct Ends {
        Ranges q, k_input;  // q: before it is rotated
    };
    Ends through(std::int64_t token);  // from h

    // Where output (token, head, j) comes from.
    Source source(std::int64_t token, std::int64_t head, std::int64_t j) const;

    // As a kernel with this contract's orders does it: outputs by tensor index, packed row-major; empty for inputs.
    std::vector<std::vector<std::byte>> run();

    const QueryModel& model() const { return model_; }
    // The matrices and what becomes of their sums; without a rank there is no first one.
    Matrix& first_matrix() { return *a_; }
    Matrix& second_matrix() { return *b_; }
    const Projection& first_projection() const { return first_; }
    const Projection& second_projection() const { return second_; }
    std::span<const float> bias() const { return bias_; }
    std::span<const float> gain() const { return gain_; }
    std::span<const float> kv_gain() const { return kv_gain_; }
    double eps() const;
    DotCounts counts;

  private:
    Ranges norm_of(const Ranges& a, const std::vector<float>& gain, const Ranges& row) const;
    std::vector<float> normalised(std::span<const float> a, const std::vector<float>& gain, std::span<const float> row) const;
    Angle angle(std::int64_t token, std::int64_t pair) const;
    std::array<std::size_t, 2> pair_at(std::int64_t pair) const;  // columns of the rope part that are rotated together
    std::vector<float> rope_once(std::int64_t token, std::vector<float> q, std::int64_t at, std::int64_t step) const;
    Ranges each_head(const Ranges& q) const;

    const Tensors& t_;
    QueryModel model_;
    std::int64_t tokens_ = 0, rank_ = 0, hidden_ = 0;
    std::optional<Matrix> a_, b_, k_c_;
    std::vector<float> gain_, kv_gain_, bias_;
    std::vector<std::int64_t> positions_;
    Projection first_{}, second_{}, absorb_{};
    std::vector<Projected> projected_, absorbed_;
};

}  // namespace ulpgate
