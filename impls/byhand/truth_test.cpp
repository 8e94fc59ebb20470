// The kernels out_*.c and second_*.c against their sidecars: each differs from the right value as its sidecar works out, and
// computes the specification where the sidecar says that nothing shows. The honest ones compute it everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "impls/testing/rmsnorm_case.hpp"
#include "reference/formats/convert.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate::testing {
namespace {

const std::string folder = ULPGATE_SOURCE "/impls/byhand/";

std::vector<std::string> stems(const std::string& extension) {
    std::vector<std::string> out;
    for (const auto& f : std::filesystem::directory_iterator(folder))
        if (const std::string stem = f.path().stem().string();
            f.path().extension() == extension && (stem.starts_with("out_") || stem.starts_with("second_")))
            out.push_back(stem);
    std::sort(out.begin(), out.end());
    return out;
}

const TomlValue& at(const TomlValue& table, const char* key) {
    static const TomlValue none;
    const TomlValue* v = table.find(key);
    EXPECT_TRUE(v) << "line " << table.line << ": no " << key;
    return v ? *v : none;
}

// "2*0x1p+0 inf" as words of t: every value is exact in it.
std::vector<std::uint32_t> words(Type t, const std::string& text) {
    std::vector<std::uint32_t> out;
    std::istringstream in(text);
    for (std::string item; in >> item;) {
        const auto star = item.find('*');
        const long count = star == std::string::npos ? 1 : std::stol(item);
        const std::string number = star == std::string::npos ? item : item.substr(star + 1);
        char* end = nullptr;
        const float f = std::strtof(number.c_str(), &end);
        EXPECT_TRUE(end && !*end) << "not a number: " << number;
        const std::uint32_t word = encode(t, f);
        EXPECT_TRUE(std::isnan(f) || decode(t, word) == f) << number << " is not exact in " << name(t);
        out.insert(out.end(), static_cast<std::size_t>(count), word);
    }
    return out;
}

struct Case {
    std::int64_t rows, d;
    double eps;
    std::vector<std::uint32_t> x, w;
};

// What the entry writes, row after row.
std::vector<std::uint32_t> called(const ulpgate_entry& entry, Type t, const Case& c) {
    Matrix x(t, c.rows, c.d, c.d, 0), y(t, c.rows, c.d, c.d, 0), w(t, c.d, 0);
    const auto d = static_cast<std::size_t>(c.d);
    for (std::int64_t i = 0; i < c.rows; ++i) {
        const auto from = c.x.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * d);
        x.set_row(i, {from, from + static_cast<std::ptrdiff_t>(d)});
    }
    w.set_row(0, c.w);
    ulpgate_rmsnorm a{};
    a.call.size = sizeof a;
    a.call.entry = &entry;
    a.call.threads = 1;
    a.rows = a.tokens = c.rows;
    a.batch = 1;
    a.d = a.d_stat = c.d;
    a.eps = c.eps;
    a.x = x.tensor();
    a.w = w.tensor();
    a.y = y.tensor();
    EXPECT_EQ(entry.rmsnorm(&a), ULPGATE_OK);
    EXPECT_TRUE(y.canaries_intact());
    std::vector<std::uint32_t> out;
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (const auto word : y.row(i)) out.push_back(word);
    return out;
}

// The floats within `ulps` of the right r (or of the right root, by division). Float squares are summed in double.
std::vector<float> roots(const Contract& c, const std::vector<std::uint32_t>& x, double eps, int ulps) {
    double s = 0;
    for (const auto word : x) {
        const float f = decode(c.x, word);
        s += static_cast<double>(f * f);
    }
    if (s > static_cast<double>(std::numeric_limits<float>::max())) s = HUGE_VAL;
    const double root = std::sqrt(s / static_cast<double>(x.size()) + static_cast<double>(static_cast<float>(eps)));
    float r = static_cast<float>(c.by == By::div ? root : 1 / root);
    if (!std::isfinite(r) || r == 0) return {r};
    std::vector<float> out;
    for (int k = 0; k < ulps; ++k) r = std::nextafter(r, 0.0f);
    for (int k = -ulps; k <= ulps; ++k, r = std::nextafter(r, HUGE_VALF)) out.push_back(r);
    return out;
}

// Whether one r close to the right one gives every word of the row.
bool explained(const Contract& c, const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& w,
               const std::vector<std::uint32_t>& y, double eps, int ulps) {
    const auto r = roots(c, x, eps, ulps);
    return std::any_of(r.begin(), r.end(), [&](float f) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            const float v = decode(c.x, x[j]), n = decode(c.x, encode(c.x, c.by == By::div ? v / f : v * f));
            if (!same(c.y, encode(c.y, decode(c.w, w[j]) * n), y[j])) return false;
        }
        return true;
    });
}

// Two rows of normal values; `shape` is the sidecar's silent_rows, what the rows have in common beside.
Case gaussian(Type t, std::int64_t d, float scale, std::uint64_t seed, const std::string& shape = "") {
    Case c{2, d, 1e-6, {}, {}};
    Rng rng(seed, 1, static_cast<std::uint64_t>(d)), gain(seed, 2, static_cast<std::uint64_t>(d));
    std::vector<float> x;
    for (std::int64_t i = 0; i < 2 * d; ++i) x.push_back(static_cast<float>(rng.gauss()) * 0x1p-16f * scale);
    if (shape == "descending")
        for (auto row = x.begin(); row != x.end(); row += d)
            std::sort(row, row + d, [](float a, float b) { return std::fabs(a) > std::fabs(b); });
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (shape == "odd_alone" && i % 2 == 0) x[i] = 0;
        if (shape == "bf16") x[i] = decode(Type::bf16, encode(Type::bf16, x[i]));
        c.x.push_back(encode(t, x[i]));
    }
    for (std::int64_t i = 0; i < d; ++i)
        c.w.push_back(encode(t, shape == "gain_one" ? 1.0f : 1 + static_cast<float>(gain.gauss()) * 0x1p-18f));
    return c;
}

::testing::AssertionResult explained_rows(const ulpgate_entry& entry, const Case& c, int ulps) {
    const Contract contract = contract_of(entry);
    const auto y = called(entry, contract.x, c);
    const auto row = [&](const std::vector<std::uint32_t>& m, std::int64_t i) {
        return std::vector<std::uint32_t>(m.begin() + static_cast<std::ptrdiff_t>(i * c.d),
                                          m.begin() + static_cast<std::ptrdiff_t>((i + 1) * c.d));
    };
    for (std::int64_t i = 0; i < c.rows; ++i)
        if (!explained(contract, row(c.x, i), c.w, row(y, i), c.eps, ulps))
            return ::testing::AssertionFailure() << entry.contract << " d " << c.d << " row " << i << ": no r within " << ulps
                                                 << " ulp of the right one gives this row";
    return ::testing::AssertionSuccess();
}

class OutOfList : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        ASSERT_EQ(document.error, "");
        ASSERT_EQ(module.error, "");
    }
    bool honest() const { return at(document.root, "honest").boolean; }
    Module module{"byhand/" + GetParam()};
    TomlDocument document = read_toml(folder + GetParam() + ".toml");
};
INSTANTIATE_TEST_SUITE_P(Kernels, OutOfList, ::testing::ValuesIn(stems(".c")), [](const auto& i) { return i.param; });

TEST(OutOfListKernels, EachHasItsSidecar) {
    EXPECT_EQ(stems(".c"), stems(".toml"));
    EXPECT_GE(stems(".c").size(), 21u + 14u);
}

TEST_P(OutOfList, SidecarKeepsItsSchema) {
    const auto& root = document.root;
    EXPECT_EQ(at(root, "schema").text, "ulpgate.truth/1");
    EXPECT_EQ(at(root, "subject").text, "byhand/" + GetParam());
    EXPECT_GT(at(root, "truth").text.size(), 20u);
    EXPECT_FALSE(at(root, "shows").text.empty());
    const std::string nameable = at(root, "nameable").text;
    EXPECT_TRUE(honest() ? nameable == "none" : nameable == "precise" || nameable == "unknown") << nameable;
    EXPECT_EQ(std::string(module.descriptor->version), honest() ? "fault none" : "fault unlisted");
    static const std::set<std::string> stages{"input", "sum",  "mean", "eps",    "rsqrt",    "multiply",
                                              "cast",  "gain", "none", "layout", "behaviour"};
    for (const auto& f : at(root, "fault").array) {
        EXPECT_TRUE(stages.contains(at(f, "stage").text)) << at(f, "stage").text;
        EXPECT_EQ(at(f, "stage").text == "none", honest());
        for (const auto& s : at(f, "also").array) EXPECT_TRUE(stages.contains(s.text)) << s.text;
        EXPECT_FALSE(at(f, "what").text.empty());
        EXPECT_EQ(at(f, "parameter").text.empty(), honest());
        EXPECT_EQ(at(f, "listed").kind, TomlValue::Kind::boolean);
    }
    const bool two = GetParam().starts_with("out_two_") || GetParam().starts_with("second_two_");
    EXPECT_EQ(at(root, "fault").array.size(), two ? 2u : 1u);
}

TEST_P(OutOfList, DiffersAsWorkedOut) {
    std::set<std::string> seen;
    for (const auto& v : at(document.root, "witness").array) {
        SCOPED_TRACE("witness at line " + std::to_string(v.line));
        const std::string claim = at(v, "contract").text;
        const auto entries = module.entries();
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.contract == claim; });
        ASSERT_NE(entry, entries.end()) << claim;
        seen.insert(claim);
        const Type t = contract_of(*entry).x;
        const Case c{at(v, "rows").integer, at(v, "d").integer, std::strtod(at(v, "eps").text.c_str(), nullptr),
                     words(t, at(v, "x").text), words(t, at(v, "gain").text)};
        ASSERT_EQ(c.x.size(), static_cast<std::size_t>(c.rows * c.d));
        ASSERT_EQ(c.w.size(), static_cast<std::size_t>(c.d));
        const auto y = called(*entry, t, c);
        const auto got = y.at(static_cast<std::size_t>(at(v, "at").array.at(0).integer * c.d + at(v, "at").array.at(1).integer));
        const auto right = words(t, at(v, "right").text).at(0);
        if (honest()) {
            EXPECT_TRUE(same(t, right, got)) << std::hex << "right " << right << ", got " << got;
            continue;
        }
        const auto wrong = words(t, at(v, "wrong").text).at(0);
        EXPECT_FALSE(same(t, right, wrong)) << "the fault does not show";
        EXPECT_TRUE(same(t, wrong, got)) << std::hex << "wrong by proof " << wrong << ", got " << got << ", right " << right;
    }
    EXPECT_EQ(seen.size(), module.entries().size()) << "an entry without a witness";
}

TEST_P(OutOfList, ComputesTheSpecificationWhereNothingShows) {
    const TomlValue* shape = document.root.find("silent_rows");
    static const std::set<std::string> shapes{"descending", "odd_alone", "bf16", "gain_one"};
    ASSERT_TRUE(!shape || shapes.contains(shape->text)) << shape->text;
    for (const auto& e : module.entries())
        for (const auto& d : at(document.root, "silent").array) {
            EXPECT_TRUE(explained_rows(e, gaussian(contract_of(e).x, d.integer, 16, 7, shape ? shape->text : ""), 8));
            if (!honest()) continue;
            for (const float scale : {0x1p-12f, 1.0f, 0x1p9f})
                EXPECT_TRUE(explained_rows(e, gaussian(contract_of(e).x, d.integer, scale, 8), 4)) << "scale " << scale;
        }
}

TEST_P(OutOfList, IsRightAtTheEdgesIfHonest) {
    if (!honest()) return; // only for the kernels without a fault
    for (const auto& e : module.entries()) {
        const Type t = contract_of(e).x;
        for (const char* first : {"0x0p+0 -0x0p+0", "inf 0x1p+0", "-inf inf", "nan 0x1p+0", "0x1p-14 -0x1p-14"}) {
            Case c{1, 2, 1e-6, words(t, first), words(t, "-0x1p+0 0x1.8p+0")};
            EXPECT_TRUE(explained_rows(e, c, 2)) << first;
        }
        if (t == Type::fp16) continue;
        for (const char* first : {"0x1.8p+100 0x1p+0", "0x1p+60 0x1p+60", "0x1p-120 -0x1p-126"}) {
            Case c{1, 2, 1e-6, words(t, first), words(t, "2*0x1p+0")};
            EXPECT_TRUE(explained_rows(e, c, 2)) << first;
        }
    }
}

}  // namespace
}  // namespace ulpgate::testing
