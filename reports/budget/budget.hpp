// The accuracy a team agreed to, checked in as TOML: limits on a subject's error beside its contract, and findings that are
// known. A limit is a second gate; it never widens what the contract allows.
//
//   schema = "ulpgate.budget/1"
//   subject = "./libmykernel.so"
//   [[limit]]                            [[known]]
//   case = "q_a_layernorm/bf16/1536"     case = "final_norm/bf16/7168"
//   profile = "outlier"  # optional      finding = "inadmissible: f32_gain"
//   contract = "cast_first"  # optional  why = "ticket 12: the fused path"
//   target = "avx2"      # optional      until = 2027-03-31
//   r_ulp32 = 3.0        # and/or ulp
//   count = "sampled 512"
//   why = "measured 2.6 on release 1.4"
//   witness = "q_a_layernorm/bf16/1536/profile=outlier/seed=7/row=215"
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result/result.hpp"

namespace ulpgate {

struct BudgetKey {
    std::string op;
    Type type = Type::none;
    std::int64_t d = 0;
    std::string contract, target, profile;  // "": any
    friend bool operator==(const BudgetKey&, const BudgetKey&) = default;
};
struct BudgetLimit {
    BudgetKey key;
    std::optional<double> r_ulp32, ulp;
    std::string count, why, witness;
    int line = 0;
};
struct BudgetKnown {
    BudgetKey key;
    std::string finding, why, until;
    int line = 0;
};
struct Budget {
    std::string path, subject;
    std::vector<BudgetLimit> limits;
    std::vector<BudgetKnown> known;
};
struct BudgetRead {
    std::string error;  // "FILE:LINE: what is wrong and what would be right", or ""
    Budget budget;
};

// today: YYYY-MM-DD; a known finding whose date has passed is an error.
BudgetRead read_budget(const std::string& path, std::string_view today);
BudgetRead parse_budget(std::string_view content, const std::string& path, std::string_view today);
std::string today();

// "q_a_layernorm/bf16/1536 profile outlier"
std::string key_text(const BudgetKey&);

// An error that is no number is worse than any.
bool worse(double error, double than);

// Limits lie on a grid of 1/16 ulp: v rounded up to it.
double grid_up(double v);

// The whole file anew, sorted by key, each entry's fields in the order above. It reads back as the same budget.
std::string write_budget(const Budget&);

// Marks groups of the budget's subject: limits with what was measured, verdict `over`, known findings. Entries that
// matched nothing become notes of the run.
void apply(const Budget&, Result&);

// No output within the contract has a larger error where x r is a normal number: derived in bound.cpp. inf: not known.
double ulp_bound(const Contract&, std::int64_t d);
double r_ulp32_bound(const Contract&, std::int64_t d);

}  // namespace ulpgate
