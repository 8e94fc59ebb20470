#include "properties/cases/export.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "impls/subject/manifest.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / ("ulpgate_export_" + std::to_string(::getpid()))).string();
    ~Folder() { std::filesystem::remove_all(path); }
};

Case read(std::string_view line) {
    Case c;
    const auto error = parse(line, c);
    EXPECT_FALSE(error) << line << ": " << error->what;
    return c;
}

TEST(Export, WritesInputsThatAnyoneCanReadAndTheCaseThatRemakesThem) {
    Folder dir;
    const auto strided = read("kv_a_layernorm/bf16/8/profile=gaussian/rows=3/ld=576/seed=4/eps=0x1p-20");
    ASSERT_EQ(export_cases(dir.path, {strided, read("q_a_layernorm/fp16/5/profile=gaussian/seed=1")}), "");
    const auto manifest = read_manifest(dir.path);
    ASSERT_EQ(manifest.error, "");
    ASSERT_EQ(manifest.cases.size(), 2u);
    EXPECT_EQ(manifest.cases[0].types, "bf16");
    EXPECT_EQ(manifest.cases[1].types, "fp16");
    const auto again = make(read(manifest.cases[0].line));
    EXPECT_EQ(again.tensors.hash(), manifest.cases[0].hash);

    const auto file = read_safetensors(dir.path + "/" + manifest.cases[0].inputs);
    ASSERT_EQ(file.error, "");
    EXPECT_EQ(read_float(file.metadata.at("eps")), 0x1p-20);
    const auto* x = file.find("x");
    ASSERT_TRUE(x);
    EXPECT_EQ(x->shape.back(), 8);
    const Tensor& want = *again.tensors.find("x");
    ASSERT_EQ(x->count(), want.count());
    for (std::int64_t k = 0; k < want.count(); ++k)
        EXPECT_EQ(std::memcmp(file.bytes_of(*x) + 2 * k, want.storage.data() + 2 * want.at(k), 2), 0) << k;
}

TEST(Export, NeverWritesOverAnotherExport) {
    Folder dir;
    const auto c = read("q_a_layernorm/bf16/4/profile=gaussian");
    ASSERT_EQ(export_cases(dir.path, {c}), "");
    EXPECT_NE(export_cases(dir.path, {c}).find("holds an export already"), std::string::npos);
}

TEST(Export, SaysWhichCaseCannotBeMade) {
    Folder dir;
    const auto c = read("q_a_layernorm/bf16/4/file=/nowhere.safetensors");
    const auto error = export_cases(dir.path, {c});
    EXPECT_EQ(error.find("q_a_layernorm/bf16/4/"), 0u) << error;
    EXPECT_NE(error.find("No such file"), std::string::npos) << error;
}

}  // namespace
}  // namespace ulpgate
