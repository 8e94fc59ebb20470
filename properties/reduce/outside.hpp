// The failure that a reduction keeps: a row by itself outside what its claim allows.
#pragma once
#include <functional>
#include <optional>
#include <utility>

#include "impls/subject/subject.hpp"
#include "properties/judge/judge.hpp"
#include "properties/reduce/reduce.hpp"

namespace ulpgate {

struct OutsideClaim {
    std::function<Outcome(const Tensors&)> call;
    const Op& op;
    const Claim& claim;  // without a residual
    std::int64_t d = 0;
    double eps = 0;
    std::int64_t calls = 0;

    // As StillFails: one call, each of its rows judged alone.
    std::vector<bool> operator()(std::span<const float> x, std::span<const float> w);
    Judgement last() const;  // of the last row that failed; one has

    std::optional<std::pair<Tensors, Outcome>> failed_{};
};

}  // namespace ulpgate
