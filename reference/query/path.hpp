// The query path and the head, stage by stage: what a contract allows of each stage given what enters it, the same carried
// from h to q, and bit-exact restatements. A token depends on its own row of h alone: a NaN there changes no other's bits.
//
//   a = T(h a^T [+ bias]) -> norm (row set of RMSNorm, latent eps) -> b = T(norm q_b^T) -> q[token, head, j]
// Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688 and 767-774.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/admissible/statistic.hpp"
#include "reference/query/projection.hpp"

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
    Ranges norm(const Ranges& a) const;
    const std::vector<Projected>& second(const Ranges& z);  // of the head: its logits, before they are widened
    // From h to q_b's output. wide: whether what entered the last stage was more than one value somewhere.
    Ranges through(std::int64_t token);

    // Where output (token, head, j) comes from.
    Source source(std::int64_t token, std::int64_t head, std::int64_t j) const;

    // As a kernel with this contract's orders does it: outputs by tensor index, packed row-major; empty for inputs.
    std::vector<std::vector<std::byte>> run();

    const QueryModel& model() const { return model_; }
    std::span<const float> gain() const { return gain_; }
    double eps() const;
    DotCounts counts;

  private:
    std::vector<float> normalised(std::span<const float> a) const;
    Ranges each_head(const Ranges& q) const;

    const Tensors& t_;
    QueryModel model_;
    std::int64_t tokens_ = 0, rank_ = 0, hidden_ = 0;
    std::optional<Matrix> a_, b_;
    std::vector<float> gain_, bias_;
    Projection first_{}, second_{};
    std::vector<Projected> projected_;
};

}  // namespace ulpgate
