// Every fault model of the bank against the claim of its base model, on inputs that were not designed for it: profiles that
// are no probes, seeds chosen at run time. The table says which profile was the first to see which fault how often.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "properties/cases/case.hpp"
#include "properties/judge/judge.hpp"
#include "properties/profiles/profile.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

constexpr int seeds = 20;
constexpr std::int64_t d = 513, ld = 515, rows = 12;

std::string claim_of(const Fault& f, Type t) { return fmt::format("{},{}", name(t), f.base); }

Model model_of(const std::string& claim, const std::string& fault) {
    Model m;
    const auto bad = parse(claim + ",order=lanes:8x4" + (fault.empty() ? "" : ",fault=" + fault), m);
    EXPECT_FALSE(bad) << claim << " " << fault << ": " << (bad ? bad->what : "");
    return m;
}

Tensors tensors_of(const Profile& p, const Claim& claim, std::uint64_t seed) {
    Case c;
    c.op = "q_a_layernorm";
    c.claim = claim;
    c.d = d;
    c.ld = ld;
    c.tokens = rows;
    c.profile = p.name;
    c.seed = seed;
    Made made = make(c);
    EXPECT_EQ(made.error, "") << print(c);
    return std::move(made.tensors);
}

Verdict verdict(const Model& m, const Tensors& t, const Claim& claim) {
    Outcome o;
    o.out = m.run(t);
    return judge(t, o, claim).verdict;
}

using Inputs = std::map<std::tuple<std::string, std::string_view, std::uint64_t>, Tensors>;

// The claim's own model passes on them: asked once for all the faults of the claim.
const Tensors& judged_right(Inputs& known, const Model& right, const Profile& p, const std::string& text, std::uint64_t seed) {
    const auto key = std::tuple(text, p.name, seed);
    if (const auto at = known.find(key); at != known.end()) return at->second;
    const Claim claim{right.contract};
    const Tensors& t = known.emplace(key, tensors_of(p, claim, seed)).first->second;
    const Verdict v = verdict(right, t, claim);
    EXPECT_TRUE(v == Verdict::pass || v == Verdict::mistrusted) << text << " " << p.name << " seed " << seed << ": " << name(v);
    return t;
}

std::vector<const Profile*> undesigned() {
    std::vector<const Profile*> out;
    for (const Profile* p : profiles::all())
        if (!p->probe) out.push_back(p);
    return out;
}

TEST(Bank, EveryFaultIsSeenOnInputsThatWereNotDesignedForIt) {
    const auto profiles = undesigned();
    ASSERT_GE(profiles.size(), 2u);
    std::random_device random;
    Inputs inputs;
    std::vector<std::uint64_t> drawn(seeds);
    for (auto& s : drawn) s = random();
    drawn.back() = 3229416420;  // eps dominates each row of its random bits: mistrusted in bf16 and f32, and another profile must see the fault
    fmt::print("{:<22} {:<5}", fmt::format("first seen, {} seeds", seeds), "type");
    for (const Profile* p : profiles) fmt::print(" {:>11}", p->name);
    fmt::print("\n");
    for (const Fault* f : faults::all())
        for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
            if (!f->needs.empty()) {
                fmt::print("{:<22} {:<5} shows only in {}\n", f->kind, name(type), f->needs);
                continue;
            }
            const std::string text = claim_of(*f, type);
            Claim claim;
            ASSERT_FALSE(parse(text, claim));
            if (f->invisible)
                if (const auto why = f->invisible(claim[0]); !why.empty()) {
                    fmt::print("{:<22} {:<5} invisible: {}\n", f->kind, name(type), why);
                    continue;
                }
            const Model faulty = model_of(text, std::string(f->kind)), right = model_of(text, "");
            std::map<std::string_view, int> by_profile;
            for (std::size_t k = 0; k < drawn.size(); ++k) {
                bool seen = false;
                for (std::size_t n = 0; n < profiles.size() && !seen; ++n) {  // another profile is asked first each time
                    const Profile& p = *profiles[(k + n) % profiles.size()];
                    const Tensors& t = judged_right(inputs, right, p, text, drawn[k]);
                    seen = verdict(faulty, t, claim) == Verdict::inadmissible;
                    by_profile[p.name] += seen;
                }
                EXPECT_TRUE(seen) << f->kind << " " << text << " seed " << drawn[k];
            }
            fmt::print("{:<22} {:<5}", f->kind, name(type));
            for (const Profile* p : profiles) fmt::print(" {:>11}", by_profile[p->name]);
            fmt::print("\n");
        }
}

}  // namespace
}  // namespace ulpgate
