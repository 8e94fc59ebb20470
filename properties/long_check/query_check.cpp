#include "properties/long_check/query_check.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "properties/cases/case.hpp"
#include "properties/judge/query_judge.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::long_check {
namespace {

constexpr std::array orders{"sequential", "pairwise", "lanes:8x4", "lanes:16x1", "masked:8x1", "masked:16x4", "lanes:4x2", "masked:4x3"};

// How the sums of the claim accumulate: the width of what is allowed follows from it.
std::string_view sums(const Contract& c) {
    if (c.a_part == Accumulate::t || c.b_part == Accumulate::t) return ", partial sums in T";
    return c.a_order.starts_with("mma:") || c.b_order.starts_with("mma:") ? ", tensor cores" : "";
}

template <class T, std::size_t n>
const T& one_of(Rng& r, const std::array<T, n>& list) { return list[r.below(n)]; }

}  // namespace

QueryTask draw_query(std::uint64_t task) {
    Rng r(20260000, 0, task);
    const auto between = [&](int lo, int hi) { return r.between(lo, hi); };
    const std::string type = one_of(r, std::array{"bf16", "bf16", "bf16", "fp16", "f32"});
    const bool head = r.below(5) == 0, fused = !head && r.below(3) == 0, no_rank = !head && !fused && r.below(6) == 0;
    std::string fields = one_of(r, std::array{"cast_first", "cast_first", "f32_gain"});
    if (r.below(4) == 0) fields += ",weights=e4m3:128x128";
    if (!head && !no_rank && r.below(3) == 0) fields += one_of(r, std::array{",bias=before", ",bias=after"});
    if (head && r.below(2)) fields += ",logits=f32";
    // Sums on tensor cores, or partial sums in T.
    std::string core;
    if (const auto sums = r.below(6); sums < 2 && type != "f32") {
        const bool e4m3 = fields.find("e4m3") != fields.npos;
        core = e4m3 ? one_of(r, std::array{"mma:32x13:128", "mma:16x25:128", "mma:8x24:64"}) : one_of(r, std::array{"mma:8x24", "mma:16x25", "mma:16x25x4", "mma:16x25:128"});
        if (!head) fields += ",a.order=" + core;
        fields += ",b.order=" + core;
    } else if (sums == 2) {
        fields += head ? ",b.part=t" : ",a.part=t,b.part=t";
    }
    if (fused) fields += ",kv=fused";
    std::string sizes, rope;
    if (!head) {
        if (r.below(3) == 0) fields += ",absorb=yes";
        rope = one_of(r, std::array{"", "", ",rope=one_cast", ",rope=three", ",rope=table_f32"});
        fields += rope;
        if (r.below(2)) fields += ",taps=out";
        sizes = fmt::format("/rank={}/kv={}/heads={}/nope={}/rope={}", no_rank ? 0 : between(2, 220), between(1, 40), between(1, 4), between(2, 40), 2 * between(1, 16));
        if (!rope.empty()) sizes += fmt::format("/past={}", one_of(r, std::array{0, 1, 17, 4095, 4096}));
    } else {
        sizes = fmt::format("/out={}", between(1, 300));
    }
    const auto profiles = query_profiles::all();
    const auto& profile = *profiles[r.below(static_cast<std::uint32_t>(profiles.size()))];
    return {fmt::format("{}/{}/{}/contract={}/profile={}/bt={}x{}{}/seed={}", head ? "head" : "mla_query", type, between(1, 4) == 1 ? between(400, 1100) : between(2, 300), fields,
                        profile.name, between(1, 2), between(1, 3), sizes, task),
            core.empty() ? one_of(r, orders) : core};
}

void QueryRecord::step() {
    const QueryTask task = draw_query(tasks);
    Case c;
    if (const auto bad = parse(task.line, c)) {
        findings.push_back(fmt::format("task {}: {}: {}", tasks++, task.line, bad->what));
        return;
    }
    const Made made = make(c);
    QueryModel m{c.claim[0], {}, ""};
    m.contract.a_order = m.contract.b_order = task.order;
    if (m.contract.b_part == Accumulate::t) m.pieces.splits = 2 + static_cast<int>(tasks % 3);
    m.contract.order = task.order.starts_with("mma:") ? orders[tasks % orders.size()] : task.order;
    QueryPath path(made.tensors, m);
    Outcome o;
    o.out = path.run();
    const Judgement j = judge(made.tensors, o, c.claim);
    if (j.verdict != Verdict::pass && j.verdict != Verdict::mistrusted)
        findings.push_back(fmt::format("task {}: {} {}: {}: {}", tasks, task.line, task.order, name(j.verdict), j.what));
    for (const QueryStage& s : j.stages) {
        StageCount& n = stages[fmt::format("{} {}{}", name(c.claim[0].x), s.stage, sums(c.claim[0]))];
        n.outputs += s.outputs;
        n.at_most_two += s.at_most_two;
        n.untold += s.untold;
        outputs += s.outputs;
    }
    ++tasks;
}

std::string QueryRecord::to_json(const std::string& commit, double seconds) const {
    nlohmann::ordered_json j{{"schema", "ulpgate.query_long_check/1"}, {"commit", commit}, {"tasks", tasks}, {"outputs", outputs}, {"seconds", seconds}, {"findings", findings}};
    for (const auto& [stage, n] : stages)
        j["stages"][stage] = {{"outputs", n.outputs}, {"at_most_two", n.at_most_two}, {"untold", n.untold},
                              {"share_at_most_two", n.outputs ? static_cast<double>(n.at_most_two) / static_cast<double>(n.outputs) : 0}};
    return j.dump(2) + "\n";
}

}  // namespace ulpgate::long_check
