// Which profile sees which of the 14 faults of the first bank. The profiles that were not designed for it see
// them all, on every seed; each designed probe sees what it is for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "properties/profiles/profile.hpp"
#include "properties/relations/models_test.hpp"

namespace ulpgate {
namespace {

struct Bank {
    const char* fault;
    const char* contract = "cast_first";
};
constexpr Bank bank[] = {
    {"order.gain_then_cast"},
    {"rstd.low"},
    {"round.truncate"},
    {"acc.low"},
    {"stat.sum_not_mean"},
    {"stat.wrong_divisor"},
    {"stat.centred_var"},
    {"lane.dropped"},
    {"lane.dropped:100"},
    {"lane.row_mix"},
    {"eps.outside"},
    {"eps.value:1e-5"},
    {"eps.none"},
    {"gain.one_plus_low", "cast_first,gain=one_plus"},
    {"special.nan_output"},
};

bool sees(const Profile& p, const Bank& b, const std::string& type, std::int64_t d, std::uint64_t seed) {
    const auto c = case_of(fmt::format("q_a_layernorm/{}/{}/contract={}/profile={}/rows={}/seed={}", type, d,
                                       b.contract, p.name, p.rows(d), seed));
    return verdict_of(model_of(fmt::format("{},{},fault={}", type, b.contract, b.fault)), c) ==
           Verdict::inadmissible;
}

TEST(FaultsSeen, EveryFaultByProfilesNotDesignedForIt) {
    // For a person: more seeds, and the whole table, which takes minutes.
    const char* given = std::getenv("ULPGATE_TEST_SEEDS");
    const int seeds = given ? std::atoi(given) : 2;
    const bool whole_table = std::getenv("ULPGATE_TEST_TABLE") != nullptr;
    std::map<std::string, std::map<std::string, int>> table;
    for (const char* type : {"bf16", "fp16"})
        for (const int d : {512, 1536, 7168})
            for (int seed = 1; seed <= seeds; ++seed)
                for (const Bank& b : bank) {
                    bool any = false;
                    for (const Profile* p : profiles::all()) {
                        if (p->probe && !whole_table) continue;
                        const bool seen = sees(*p, b, type, d, static_cast<std::uint64_t>(seed));
                        table[b.fault][std::string(p->name)] += seen;
                        any |= seen && !p->probe;
                        if (any && !whole_table) break;  // one is enough; the whole table is for a person
                    }
                    EXPECT_TRUE(any) << type << " " << d << " seed " << seed << ": nobody sees " << b.fault;
                }
    if (!whole_table) return;
    for (const auto& [fault, by] : table) {
        fmt::print("{:<22}", fault);
        for (const auto& [profile, n] : by) fmt::print(" {}={}", profile, n);
        fmt::print("\n");
    }
}

}  // namespace
}  // namespace ulpgate
