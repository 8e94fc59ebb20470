#include "impls/subject/here.hpp"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cstring>
#include <stdexcept>
#include <thread>

namespace ulpgate {
namespace {

int rows_of(const ulpgate_rmsnorm* a, int (*f)(const std::uint16_t* x, std::uint16_t* y, std::int64_t d)) {
    for (std::int64_t r = 0; r < a->rows; ++r)
        if (const int s = f(static_cast<std::uint16_t*>(a->x.data) + r * a->x.stride[0], static_cast<std::uint16_t*>(a->y.data) + r * a->y.stride[0], a->d)) return s;
    return ULPGATE_OK;
}
int copy(const std::uint16_t* x, std::uint16_t* y, std::int64_t d) { return std::memcpy(y, x, 2 * static_cast<std::size_t>(d)), ULPGATE_OK; }

struct Kernel {
    ulpgate_entry entry{.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = nullptr};
    ulpgate_descriptor d{ULPGATE_HEAD, .entry_count = 1, .name = "here", .version = "1", .entries = &entry};
    explicit Kernel(int (*f)(const ulpgate_rmsnorm*)) { entry.rmsnorm = f; }
    HereKernel here() const { return {&d, [] { return std::string("so it said"); }}; }
};

Tensors some(std::int64_t rows = 3, std::int64_t d = 8, std::int64_t ld = 0) {
    Claim claim;
    EXPECT_FALSE(parse("bf16", claim));
    const Op& op = *find_op("kv_a_layernorm");
    Sizes n;
    op.defaults(n);
    n[Dim::tokens] = rows;
    n[Dim::d] = d;
    op.derive(n);
    Tensors t = lay_out(op, claim[0], n, ld, ld);
    for (Tensor& v : t.all)
        if (v.spec->input())
            for (std::int64_t k = 0; k < v.extent(); ++k) v.set_word(k, static_cast<std::uint32_t>(0x3f00 + k % 200));
    return t;
}

Outcome run(int (*f)(const ulpgate_rmsnorm*), const Tensors& t = some()) {
    const Kernel k(f);
    const auto s = open_here_subject("here", k.here());
    EXPECT_EQ(s->start().event, Event::ok);
    return s->run(0, t);
}
void expect(int (*f)(const ulpgate_rmsnorm*), Event event, const std::string& words, const Tensors& t = some()) {
    const Outcome o = run(f, t);
    EXPECT_EQ(o.event, event) << words << ": " << o.what;
    EXPECT_NE(o.what.find(words), std::string::npos) << o.what;
}

TEST(Here, OutputsComeBackFromEveryShapeAndStride) {
    const Kernel k([](const ulpgate_rmsnorm* a) { return rows_of(a, copy); });
    const auto s = open_here_subject("here", k.here());
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->name(), "here");
    EXPECT_EQ(s->version(), "1");
    ASSERT_EQ(s->entries().size(), 1u);
    for (std::int64_t rows : {0, 1, 2, 257})
        for (std::int64_t d : {1, 7, 512, 2048})
            for (std::int64_t ld : {std::int64_t{0}, d + 1}) {
                const Tensors t = some(rows, d, ld);
                const Outcome o = s->run(0, t);
                ASSERT_EQ(o.event, Event::ok) << o.what;
                const Tensor& x = *t.find("x");
                for (std::int64_t i = 0; i < x.count(); ++i)
                    ASSERT_EQ(std::memcmp(&o.out.back()[static_cast<std::size_t>(2 * i)], &x.storage[static_cast<std::size_t>(2 * x.at(i))], 2), 0);
            }
}

TEST(Here, WhatItWritesWhereItMustNotIsSaidToTheByte) {
    expect([](const ulpgate_rmsnorm* a) { return static_cast<std::uint16_t*>(a->y.data)[-1] = 1, rows_of(a, copy); }, Event::corrupted, "wrote byte 2 before y");
    expect([](const ulpgate_rmsnorm* a) { return static_cast<char*>(a->y.data)[2 * 3 * 8] = 1, rows_of(a, copy); }, Event::corrupted, "wrote byte 0 past the end of y");
    expect([](const ulpgate_rmsnorm* a) { return static_cast<char*>(a->x.data)[2] = 9, rows_of(a, copy); }, Event::corrupted, "wrote to its input x at byte 2");
    expect([](const ulpgate_rmsnorm* a) { return static_cast<char*>(a->w.data)[2 * 8 + 1] = 9, rows_of(a, copy); }, Event::corrupted, "wrote byte 1 past the end of w");
    expect([](const ulpgate_rmsnorm* a) { return static_cast<std::uint16_t*>(a->y.data)[9] = 1, rows_of(a, copy); }, Event::corrupted,
           "gap between the rows of y, at its element 9", some(3, 8, 11));
    expect([](const ulpgate_rmsnorm* a) { return static_cast<std::uint16_t*>(a->x.data)[9] = 1, rows_of(a, copy); }, Event::corrupted,
           "wrote to its input x at byte 18", some(3, 8, 11));
}

TEST(Here, ALaterCallIsNotHeldToWhatAnEarlierOneSpoilt) {
    static int calls;
    calls = 0;
    const Kernel k([](const ulpgate_rmsnorm* a) {
        if (!calls++) static_cast<std::uint16_t*>(a->x.data)[1] = 9;
        return rows_of(a, copy);
    });
    const auto s = open_here_subject("here", k.here());
    ASSERT_EQ(s->start().event, Event::ok);
    const Tensors t = some();
    EXPECT_EQ(s->run(0, t).event, Event::corrupted);
    const Outcome o = s->run(0, t);
    EXPECT_EQ(o.event, Event::ok) << o.what;
    EXPECT_EQ(std::memcmp(&o.out.back()[2], &t.find("x")->storage[2], 2), 0);
}

TEST(Here, UnwrittenUnstableAndRefused) {
    expect([](const ulpgate_rmsnorm* a) { return rows_of(a, [](auto* x, auto* y, std::int64_t d) { return copy(x, y, d - 1); }); }, Event::corrupted,
           "left row 0 col 7 of y unwritten");
    expect([](const ulpgate_rmsnorm* a) {
        static std::uint16_t n;
        rows_of(a, copy);
        return static_cast<std::uint16_t*>(a->y.data)[3] = ++n, ULPGATE_OK + 0;
    }, Event::unstable, "row 0 col 3 of y");
    expect([](const ulpgate_rmsnorm*) { return static_cast<int>(ULPGATE_REFUSED); }, Event::refused, "refused");
    expect([](const ulpgate_rmsnorm*) { return static_cast<int>(ULPGATE_FAILED); }, Event::failed, "so it said");
}

TEST(Here, WhatTheKernelThrowsReachesTheCaller) {
    EXPECT_THROW(run([](const ulpgate_rmsnorm*) -> int { throw std::runtime_error("stop"); }), std::runtime_error);
    EXPECT_EQ(memory_of_call(), nullptr);
}

TEST(Here, TheFloatingPointModeIsTheKernelsDuringACallOnly) {
    static unsigned seen;
    Kernel k([](const ulpgate_rmsnorm* a) {
        seen = _mm_getcsr();
        _mm_setcsr(0x1f80 | 0x8040);
        return rows_of(a, copy);
    });
    const unsigned before = _mm_getcsr();
    auto here = k.here();
    here.mxcsr = 0x1f80 | 0x8000;
    const auto s = open_here_subject("here", here);
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->mode(), "ftz on");
    EXPECT_EQ(s->run(0, some()).event, Event::ok);
    EXPECT_EQ(seen, 0x1f80u | 0x8000u);
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
}

TEST(Here, KeptTensorsStayMapped) {
    static std::shared_ptr<void> kept;
    static const volatile std::uint16_t* data;
    run([](const ulpgate_rmsnorm* a) {
        kept = memory_of_call();
        data = static_cast<std::uint16_t*>(a->x.data);
        return rows_of(a, copy);
    });
    ASSERT_NE(kept, nullptr);
    EXPECT_GE(data[0], 0x3f00);  // the subject is gone
    kept.reset();
}

TEST(Here, ASubjectOfTheCallersOwnComesFirst) {
    const Kernel k([](const ulpgate_rmsnorm* a) { return rows_of(a, copy); });
    SubjectOptions o;
    o.own = [&](const std::string& text) { return text == "mine" ? open_here_subject(text, k.here()) : nullptr; };
    EXPECT_EQ(open_subject("mine", o)->start().event, Event::ok);
    const auto other = open_subject("theirs", o)->start();
    EXPECT_EQ(other.event, Event::not_loaded);
    EXPECT_NE(other.what.find("no subject 'theirs'"), std::string::npos) << other.what;
}

TEST(Here, APythonThatIsMissingIsSaid) {
    setenv("ULPGATE_PYTHON", "/nowhere/python3", 1);
    const auto o = open_subject("python:module:function", {})->start();
    unsetenv("ULPGATE_PYTHON");
    EXPECT_EQ(o.event, Event::not_loaded);
    EXPECT_NE(o.what.find("/nowhere/python3: No such file"), std::string::npos) << o.what;
}

}  // namespace
}  // namespace ulpgate
