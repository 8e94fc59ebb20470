// The built-in kernels are predicted bit for bit: every entry by the model that reference/restated names for its kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "impls/subject/subject.hpp"
#include "properties/profiles/profile.hpp"
#include "properties/relations/models_test.hpp"
#include "reference/restated/restated.hpp"

namespace ulpgate {
namespace {

// "" or the first output that differs; which NaN is nobody's claim.
std::string difference(const Tensors& t, const std::vector<std::vector<std::byte>>& model,
                       const std::vector<std::vector<std::byte>>& kernel) {
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const Tensor& n = t.all[k];
        if (n.spec->input() || model[k] == kernel[k]) continue;
        std::vector<float> a(static_cast<std::size_t>(n.count())), b(a.size());
        if (kernel[k].size() != model[k].size()) return std::string(n.spec->name) + " has another size";
        unpack(n.type, model[k].data(), a);
        unpack(n.type, kernel[k].data(), b);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto right = encode(n.type, a[i]), got = encode(n.type, b[i]);
            if (right == got || (a[i] != a[i] && b[i] != b[i])) continue;
            const auto row = static_cast<std::int64_t>(i) / n.width(), col = static_cast<std::int64_t>(i) % n.width();
            return fmt::format("{} row {} col {}: model {:x}, kernel {:x}", n.spec->name, row, col, right, got);
        }
    }
    return "";
}

class Restated : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        SubjectOptions options;
        options.home = ULPGATE_HOME;
        subject = open_subject(GetParam(), options);
        const auto o = subject->start();
        if (o.event == Event::unavailable) GTEST_SKIP() << GetParam() << ": " << o.what;
        ASSERT_EQ(o.event, Event::ok) << o.what;
        restatement = find_restatement(GetParam());
        ASSERT_TRUE(restatement) << "reference/restated has no " << GetParam();
    }
    // One case on every entry.
    void expect_equal(std::int64_t d, const Profile& p, std::int64_t rows, std::uint64_t seed) {
        const auto& entries = subject->entries();
        for (std::size_t k = 0; k < entries.size(); ++k) {
            if (entries[k].abi != Abi::rmsnorm) continue;
            Case c;
            ASSERT_FALSE(parse(entries[k].contract, c.claim));
            c.d = d;
            c.profile = p.name;
            c.tokens = rows;
            c.seed = seed;
            const Tensors t = tensors_of(c);
            const Model m = model_of(model_text(*restatement, c.claim[0], d));
            const auto o = subject->run(k, t);
            ASSERT_EQ(o.event, Event::ok) << print(c) << ": " << o.what;
            const auto what = difference(t, m.run(t), o.out);
            ASSERT_EQ(what, "") << GetParam() << " " << print(c);
            elements += t.find("x")->count();
        }
    }
    std::unique_ptr<Subject> subject;
    const Restatement* restatement = nullptr;
    std::int64_t elements = 0;
};
std::string name_of(const testing::TestParamInfo<const char*>& i) { return i.param; }
INSTANTIATE_TEST_SUITE_P(BuiltIn, Restated, testing::Values("scalar", "avx2", "avx512", "avx512_portable", "ptx", "cuda"), name_of);

TEST_P(Restated, EveryProfileInEveryEntry) {
    for (const Profile* p : profiles::all()) expect_equal(97, *p, p->name == "specials" ? 22 : 6, 3);
    RecordProperty("elements", std::to_string(elements));
}

// Each size with some profiles, all of them in turn; the widths of the model and their neighbours with every one.
TEST_P(Restated, EverySizeAtTheMachinesEdges) {
    const auto all = profiles::all();
    std::size_t turn = 0;
    for (std::int64_t d = 1; d <= 66; ++d)
        for (int k = 0; k < 3; ++k) expect_equal(d, *all[turn++ % all.size()], 3, 5);
    for (const std::int64_t d : {127, 128, 129, 511, 513, 768, 1535, 7167})
        for (int k = 0; k < 2; ++k) expect_equal(d, *all[turn++ % all.size()], 1, 5);
    RecordProperty("elements", std::to_string(elements));
}

TEST_P(Restated, EveryProfileAtTheModelsWidths) {
    for (const std::int64_t d : {512, 1536, 1537, 7168, 7169})
        for (const Profile* p : profiles::all())
            expect_equal(d, *p, p->name == "specials" ? 22 : d < 7000 ? 3 : 1, 9);
    RecordProperty("elements", std::to_string(elements));
}

TEST(RestatedKernels, NoneIsLeftOut) {
    SubjectOptions options;
    options.home = ULPGATE_HOME;
    for (const auto& text : built_in_subjects(ULPGATE_HOME)) {
        const auto s = open_subject(text, options);
        s->start();
        const auto& e = s->entries();
        const bool norm = std::any_of(e.begin(), e.end(), [](const EntryInfo& i) { return i.abi == Abi::rmsnorm; });
        EXPECT_TRUE(!norm || find_restatement(text)) << text << ": add reference/restated/" << text << ".cpp and the name to BuiltIn above";
    }
}

}  // namespace
}  // namespace ulpgate
