#include "impls/subject/build.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/file.hpp"
#include "reference/base/sha1.hpp"

namespace ulpgate {
namespace {

SubjectOptions here() {
    SubjectOptions o;
    o.home = ULPGATE_HOME;
    return o;
}

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ulpgate_build_XXXXXX").string();
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

TEST(Build, IsTheHashOfTheLibrary) {
    const Folder f;
    const std::string library = f.path + "/k.so";
    ASSERT_EQ(write_file(library, "one"), "");
    const auto one = build_of(library, here());
    EXPECT_EQ(one.error, "");
    EXPECT_EQ(one.sha1, sha1("one"));
    EXPECT_EQ(build_of(library + "@variant", here()).sha1, one.sha1);
    ASSERT_EQ(write_file(library, "two"), "");
    EXPECT_NE(build_of(library, here()).sha1, one.sha1);
    EXPECT_NE(build_of("scalar", here()).sha1, build_of("avx2", here()).sha1);
    EXPECT_EQ(build_of("faulty/eps.none", here()).sha1, build_of("model/bf16,cast_first", here()).sha1) << "one library";
}

// A description, its module, the executor: each is part of what is run.
TEST(Build, OfKernelsInPtxHoldsTheDescriptionAndItsModule) {
    const Folder f;
    const std::string description = f.path + "/k.toml", module = f.path + "/k.ptx";
    const auto write = [&](const std::string& to, const std::string& text) { ASSERT_EQ(write_file(to, text), ""); };
    const std::string text = "schema = \"ulpgate.launch/1\"\nmodule = \"k.ptx\"\nname = \"k\"\n[[entry]]\nop = \"rmsnorm\"\ncontract = \"bf16\"\n"
                             "[[entry.launch]]\nkernel = \"k\"\ngrid = \"rows\"\nblock = \"32\"\nparams = [[\"ptr\", \"x\"]]\n";
    write(description, text);
    write(module, "one");
    const auto one = build_of(description, here());
    EXPECT_EQ(one.error, "");
    write(module, "two");
    const auto two = build_of(description + "@sm_80", here());
    EXPECT_NE(two.sha1, one.sha1);
    write(description, text + "# another\n");
    EXPECT_NE(build_of(description, here()).sha1, two.sha1);
    EXPECT_NE(build_of("ptx", here()).sha1, build_of("scalar", here()).sha1);
}

TEST(Build, SaysWhatCannotBeRead) {
    EXPECT_NE(build_of("nobody", here()).error, "");
    EXPECT_NE(build_of("./none.so", here()).error.find("none.so"), std::string::npos);
}

}  // namespace
}  // namespace ulpgate
