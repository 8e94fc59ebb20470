#include "impls/subject/template.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "impls/subject/subject.hpp"
#include "reference/base/file.hpp"

namespace ulpgate {
namespace {

namespace fs = std::filesystem;

struct Folder {
    std::string path = (fs::temp_directory_path() / ("ulpgate_template_" + std::to_string(::getpid()))).string();
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    // Runs the compiler in the folder; the options of the build line, and every warning an error.
    int compile(const std::string& arguments) const {
        return std::system(("cd " + path + " && " + ULPGATE_CC + " -Wall -Wextra -Wpedantic -Werror " + arguments).c_str());
    }
};

TEST(Template, BuildsOutsideTheProjectAndComputesTheSpecification) {
    Folder dir;
    ASSERT_EQ(write_file(dir.path + "/fast.c", kernel_template("some/where/fast.c")), "");
    ASSERT_EQ(write_file(dir.path + "/ulpgate_kernel.h", kernel_header()), "");
    ASSERT_EQ(dir.compile("-std=c99 -O2 -shared -fPIC -o fast.so fast.c -lm"), 0);
    SubjectOptions options;
    options.home = ULPGATE_HOME;
    auto s = open_subject(dir.path + "/fast.so", options);
    ASSERT_EQ(s->start().event, Event::ok) << s->start().what;
    EXPECT_EQ(s->name(), "fast");
    ASSERT_EQ(s->entries().size(), 1u);
    EXPECT_EQ(s->entries()[0].contract, "bf16,cast_first");

    // x = {1, 7}: the mean square is 25, r = fl(1/5). T(x r) = {205/1024, 179/128}; times w = {203/128, 131/128}:
    // 0.31750 -> 163/512, 1.43121 -> 183/128. f32_gain would give 0.31719 -> 162/512 first.
    Claim claim;
    ASSERT_FALSE(parse(s->entries()[0].contract, claim));
    const Op& op = *find_op("kv_a_layernorm");
    Sizes n;
    op.defaults(n);
    n[Dim::tokens] = 3;
    n[Dim::d] = 2;
    op.derive(n);
    Tensors t = lay_out(op, claim[0], n, 5, 4);
    t.eps = 0;
    for (std::int64_t row = 0; row < 3; ++row) t.find("x")->write_row(row, std::array{1.0f, 7.0f});
    t.find("w")->write_row(0, std::array{203 / 128.0f, 131 / 128.0f});
    const Outcome o = s->run(0, t);
    ASSERT_EQ(o.event, Event::ok) << o.what;
    const std::uint16_t want[6] = {0x3ea3, 0x3fb7, 0x3ea3, 0x3fb7, 0x3ea3, 0x3fb7};
    ASSERT_EQ(o.out.back().size(), sizeof want);
    EXPECT_EQ(std::memcmp(o.out.back().data(), want, sizeof want), 0);
    EXPECT_EQ(open_subject(dir.path + "/fast.so@x", options)->start().what, "no variant 'x'");
}

TEST(Template, IsNamedAfterItsFileAndMarksTheTenLinesToChange) {
    const std::string text = kernel_template("./deep/mine.c");
    EXPECT_TRUE(text.starts_with("/* mine.c: "));
    EXPECT_NE(text.find("-o mine.so mine.c -lm"), std::string::npos);
    EXPECT_EQ(text.find("rmsnorm.c"), std::string::npos);
    std::size_t marks = 0;
    for (std::size_t at = 0; (at = text.find("/* yours", at)) != text.npos; ++at) ++marks;
    EXPECT_EQ(marks, 10u);
    for (const char* name : {"a.py", "a", ".c", "a.c/b", ""}) EXPECT_EQ(kernel_template(name), "") << name;
}

TEST(Template, TheHeaderIsC99AndCxx) {
    Folder dir;
    std::string file;
    ASSERT_EQ(read_file(std::string(ULPGATE_SOURCE) + "/impls/ulpgate_kernel.h", file), "");
    EXPECT_EQ(kernel_header(), file);
    ASSERT_EQ(write_file(dir.path + "/ulpgate_kernel.h", file), "");
    ASSERT_EQ(write_file(dir.path + "/a.c", "#include \"ulpgate_kernel.h\"\nulpgate_entry e;\n"), "");
    ASSERT_EQ(write_file(dir.path + "/a.cpp", "#include \"ulpgate_kernel.h\"\nulpgate_entry e{};\n"), "");
    ASSERT_EQ(write_file(dir.path + "/b.cpp",
                         "#include \"ulpgate_kernel.h\"\nconst ulpgate_descriptor* ULPGATE_DESCRIBE(const char*) {\n"
                         "static const ulpgate_descriptor d = {ULPGATE_HEAD, .entry_count = 0};\nreturn &d; }\n"),
              "");
    EXPECT_EQ(dir.compile("-std=c99 -c a.c"), 0);
    EXPECT_EQ(dir.compile("-std=c++11 -x c++ -c a.cpp"), 0);
    EXPECT_EQ(dir.compile("-std=c++20 -Wno-missing-field-initializers -x c++ -c b.cpp"), 0);
}

}  // namespace
}  // namespace ulpgate
