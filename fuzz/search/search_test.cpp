#include "fuzz/search/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/sample/space.hpp"
#include "fuzz/search/row.hpp"
#include "impls/subject/in_process.hpp"
#include "properties/judge/judge.hpp"
#include "reference/admissible/statistic.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate::fuzzing {
namespace {

SubjectOptions here() {
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    return o;
}

Contract contract(const char* text) {
    Claim c;
    EXPECT_FALSE(parse(text, c));
    return c[0];
}

// x = 2, 2, 1, 1: S = 10, eps = 0, real r = 1/sqrt(2.5) = 0x1.43d136248490fp-1; given scalars next to it.
TEST(Objective, ReadsTheErrorOfR) {
    const std::vector<float> x{2, 2, 1, 1}, w(4, 1.0f);
    const Contract c = contract("f32,cast_first");
    const double r0 = 0x1.43d136248490fp-1, unit = 0x1p-24;
    for (const float r : {0x1.43d136p-1f, 0x1.43d138p-1f, 0x1.43d150p-1f, 0x1.43d100p-1f}) {
        std::vector<float> y;
        for (const float v : x) y.push_back(v * r);
        const double error = std::fabs(static_cast<double>(r) - r0) / unit;
        EXPECT_NEAR(value_of(Objective::r, {&c, x, w, y, 0.0, {}}), error, 1e-6);
        const double eps = 1 / (static_cast<double>(r) * static_cast<double>(r)) - 2.5;
        EXPECT_EQ(value_of(Objective::eps, {&c, x, w, y, 0.0, {}}), nothing) << "eps is 0: S/d is above it";
        EXPECT_NEAR(value_of(Objective::eps, {&c, x, w, y, 4.0, {}}), std::fabs(eps / 4 - 1), 1e-7);
        const double ulp = value_of(Objective::ulp, {&c, x, w, y, 0.0, {}});
        EXPECT_NEAR(ulp, error, 1e-6) << "outputs are powers of two times r";
    }
    // A bf16 output hides all that is within half of its ulp.
    const Contract low = contract("bf16,cast_first");
    std::vector<float> y;
    for (const float v : x) y.push_back(round_to(Type::bf16, v * 0x1.43d150p-1f));
    EXPECT_EQ(value_of(Objective::r, {&low, x, w, y, 0.0, {}}), 0);
    EXPECT_FALSE(shows_r(low));
}

TEST(Objective, OutsideIsNegativeInside) {
    const std::vector<float> x{3, 1, 1, 0.5f}, w(4, 1.0f);
    const Contract c = contract("f32,cast_first");
    const auto set = statistic_set(c, x, 1e-6).set;
    for (const double off : {-20.0, -3.0, 0.0, 3.0, 20.0}) {
        const float r = static_cast<float>(static_cast<double>(off < 0 ? set.lo : set.hi) + off * 0x1p-24);
        std::vector<float> y;
        for (const float v : x) y.push_back(v * r);
        const double v = value_of(Objective::outside, {&c, x, w, y, 1e-6, {}});
        EXPECT_NEAR(v, std::fabs(off), 0.01) << off;
    }
    std::vector<float> y;
    for (const float v : x) y.push_back(v * static_cast<float>(set.r));
    EXPECT_LT(value_of(Objective::outside, {&c, x, w, y, 1e-6, {}}), -1);
    EXPECT_EQ(allowed_on(Objective::outside, {&c, x, w, y, 1e-6, {}}), 0);
}

// A subnormal x r is rounded to a fixed step, which the gain multiplies: 2.594 ulp and allowed, at r = 7.5 and w = 4.1875.
TEST(Objective, LeavesOutOutputsOfSubnormalProducts) {
    const Contract c = contract("bf16,cast_first");
    const std::vector<float> x{0x1p-133f, 0.125f}, w{4.1875f, 1.0f};
    const double r0 = 1 / std::sqrt(0x1p-7 + 0x1p-133 * 0x1p-133 / 2 + 0.01);
    const float r = static_cast<float>(r0);
    std::vector<float> y;
    for (int j = 0; j < 2; ++j) y.push_back(round_to(Type::bf16, round_to(Type::bf16, x[static_cast<std::size_t>(j)] * r) * w[static_cast<std::size_t>(j)]));
    const RowOutputs o{&c, x, w, y, 0.01, {}};
    EXPECT_GT(std::fabs(static_cast<double>(y[0]) - 0x1p-133 * 4.1875 * r0) / 0x1p-133, 1) << "more than the bound on normal outputs would be";
    EXPECT_LT(value_of(Objective::ulp, o), 0.51);
    EXPECT_GT(value_of(Objective::ulp, o), 0);
}

// What is found lies within what is allowed, whatever the objective and the type: kernels that keep their contract, programs with
// subnormals and values next to overflow among them.
TEST(Objective, NothingThatIsAllowedLiesOutside) {
    auto subject = open_in_process("scalar", here());
    ASSERT_EQ(subject->start().event, Event::ok);
    int shown = 0;
    for (std::size_t entry = 0; entry < subject->entries().size(); ++entry) {
        Case shape;
        ASSERT_FALSE(parse(subject->entries()[entry].contract, shape.claim));
        shape.d = 24;
        shape.gain = "random";
        shape.seed = 7;
        shape.program.fill = 0;
        Rng rng(5, entry, 0);
        for (const auto objective : {Objective::r, Objective::outside, Objective::ulp, Objective::eps}) {
            Row row(*subject, entry, shape, objective, true);
            ASSERT_EQ(row.error(), "");
            for (int k = 0; k < 1500; ++k) {
                const Program p = draw_program(shape.claim[0].x, shape.d, shape.eps, rng);
                const double found = row(p);
                if (!(found > nothing)) continue;
                ++shown;
                ASSERT_LE(found, row.allowed(p)) << objective_names[static_cast<std::size_t>(objective)] << " " << print(row.case_of(p));
            }
        }
    }
    EXPECT_GT(shown, 10000);
}

TEST(Objective, ShowsNothingWhereARowHasNoR) {
    const std::vector<float> w(2, 1.0f);
    const Contract c = contract("f32,cast_first");
    for (const std::vector<float>& x : {std::vector<float>{INFINITY, 1}, {NAN, 1}, {0x1p64f, 0x1p64f}}) {
        const std::vector<float> y{0, 0};
        for (const auto o : {Objective::r, Objective::outside, Objective::ulp, Objective::eps}) EXPECT_EQ(value_of(o, {&c, x, w, y, 1e-6, {}}), nothing);
    }
}

SearchOptions options(std::int64_t count) {
    SearchOptions o;
    o.subject = "byhand/rsqrt_newton";
    o.subject_options = here();
    o.count = count;
    o.seeds = false;
    return o;
}

// Raw random bytes reach 2.6 ulp32 on such a kernel, random programs 20 in 12 s.
TEST(Search, ClimbsFromRandomProgramsAndItsWitnessHolds) {
    SearchWatcher quiet;
    const auto r = search(options(250000), quiet);
    ASSERT_EQ(r.how, SearchResult::How::ran) << r.what;
    ASSERT_EQ(r.entries.size(), 1u);
    const Searched& s = r.entries[0];
    EXPECT_GT(s.found, 18);
    EXPECT_LT(s.found, s.allowed);
    EXPECT_GT(s.bare_calls, 0);
    Case c;
    ASSERT_FALSE(parse(s.line, c));
    const Made made = make(c);
    EXPECT_EQ(made.tensors.hash(), c.h);
    auto isolated = open_subject("byhand/rsqrt_newton", here());
    ASSERT_EQ(isolated->start().event, Event::ok);
    EXPECT_EQ(measured(*isolated, 0, c, Objective::r), s.found) << "the isolated kernel, and f64 sums again";
    // The judge, which knows nothing of the search, sees the same distance.
    const auto j = judge(made.tensors, isolated->run(0, made.tensors), c.claim);
    EXPECT_EQ(j.verdict, Verdict::pass) << j.what;
    EXPECT_NEAR(j.measure.worst_r_ulp32, s.found, 1e-3);
}

TEST(Search, ACountGivesOneResult) {
    SearchWatcher quiet;
    auto o = options(20000);
    o.jobs = 3;
    const auto a = search(o, quiet), b = search(o, quiet);
    EXPECT_EQ(a.entries[0].line, b.entries[0].line);
    EXPECT_EQ(a.entries[0].found, b.entries[0].found);
    o.seed = 8;
    EXPECT_NE(search(o, quiet).entries[0].line, a.entries[0].line);
}

TEST(Search, SaysWhatLiesOutside) {
    SearchWatcher quiet;
    auto o = options(300);
    o.subject = "faulty/eps.outside,f32,cast_first";
    o.objective = Objective::outside;
    o.d = 64;
    const auto r = search(o, quiet);
    ASSERT_EQ(r.how, SearchResult::How::ran) << r.what;
    EXPECT_GT(r.entries[0].found, 1000);
    o.subject = "byhand/right";
    o.objective = Objective::r;
    EXPECT_EQ(search(o, quiet).how, SearchResult::How::no_entry) << "bf16 outputs hide r";
    o.subject = "nobody";
    EXPECT_EQ(search(o, quiet).how, SearchResult::How::not_loaded);
}

// "// witness OBJECTIVE NUMBER of ALLOWED CASE", the case over as many comment lines as it needs.
struct Witnessed {
    std::string file, objective, line;
    double number = 0;
};
std::vector<Witnessed> witnesses(const std::string& file) {
    std::ifstream in(file);
    std::vector<Witnessed> out;
    bool open = false;
    for (std::string s; std::getline(in, s);) {
        const auto at = s.find_first_not_of("/* ");
        const auto text = at == s.npos ? "" : s.substr(at);
        if (text.starts_with("witness ")) {
            std::istringstream words(text);
            Witnessed w;
            std::string word;
            words >> word >> w.objective >> w.number;
            w.file = file;
            out.push_back(w);
            open = true;
        } else if (open && !text.empty() && text.find(' ') == text.npos) {
            out.back().line += text;
        } else {
            open = false;
        }
    }
    return out;
}

TEST(Search, TheWitnessesInTheKernelsHold) {
    std::size_t seen = 0;
    for (const char* name : {"scalar/scalar.c", "avx2/avx2.cpp", "avx512/avx512.cpp", "avx512/avx512_portable.cpp", "byhand/rsqrt_newton.c"}) {
        const std::string path = std::string(ULPGATE_SOURCE) + "/impls/" + name;
        const auto all = witnesses(path);
        EXPECT_FALSE(all.empty()) << name << " has none";
        const std::string file = std::filesystem::path(name).stem(), folder = std::filesystem::path(name).parent_path();
        auto subject = open_subject(folder == "byhand" ? "byhand/" + file : file, here());
        const Outcome started = subject->start();
        if (started.event == Event::unavailable) continue;  // avx512_portable has the same bits
        ASSERT_EQ(started.event, Event::ok) << started.what;
        for (const auto& w : all) {
            Case c;
            const auto bad = parse(w.line, c);
            ASSERT_FALSE(bad) << name << ": " << w.line << ": " << bad->what;
            std::size_t entry = subject->entries().size();
            for (std::size_t k = 0; k < subject->entries().size(); ++k)
                if (Claim claim; !parse(subject->entries()[k].contract, claim) && claim == c.claim) entry = k;
            ASSERT_LT(entry, subject->entries().size()) << w.line;
            const double now = measured(*subject, entry, c, *objective_of(w.objective));
            // rsqrtss differs from CPU to CPU: by its own error and what the Newton step leaves of it.
            EXPECT_NEAR(now, w.number, folder == "byhand" ? 3 : 0.001) << name;
            ++seen;
        }
    }
    EXPECT_GE(seen, 4u);
}

}  // namespace
}  // namespace ulpgate::fuzzing
