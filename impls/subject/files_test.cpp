#include "impls/subject/files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "impls/subject/manifest.hpp"
#include "reference/base/file.hpp"
#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

struct Folder {
    std::string path = std::filesystem::temp_directory_path() / ("ulpgate_files_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path + "/out"); }
    ~Folder() { std::filesystem::remove_all(path); }
};

Tensors small_case(float first) {
    const Op& op = *find_op("kv_a_layernorm");
    Sizes n;
    op.defaults(n);
    n[Dim::tokens] = 2;
    n[Dim::d] = 3;
    op.derive(n);
    Contract c;
    c.x = c.w = c.y = c.res = Type::bf16;
    auto t = lay_out(op, c, n);
    const float row[3] = {first, 2, 3};
    t.find("x")->write_row(0, row);
    t.find("x")->write_row(1, row);
    t.find("w")->write_row(0, row);
    return t;
}

TEST(Files, AnEntryIsOfItsCasesOp) {
    Folder dir;
    ASSERT_EQ(write_manifest(dir.path, {{"mla_query/bf16/64/profile=random", 1, "bf16", "000.safetensors", "out/000.safetensors"},
                                        {"head/bf16/64/profile=random", 2, "bf16", "001.safetensors", "out/001.safetensors"}}),
              "");
    for (const char* name : {"/out/000.safetensors", "/out/001.safetensors"}) ASSERT_EQ(write_safetensors(dir.path + name, {}, {{"name", "someone's"}}), "");
    auto s = open_files_subject("files:" + dir.path);
    ASSERT_EQ(s->start().event, Event::ok);
    ASSERT_EQ(s->entries().size(), 2u);
    EXPECT_EQ(s->entries()[0].abi, Abi::mla_query);
    EXPECT_EQ(s->entries()[1].abi, Abi::linear);
}

TEST(Files, OutputsAreFoundByTheHashOfTheirInputs) {
    Folder dir;
    const auto t = small_case(1);
    ASSERT_EQ(write_manifest(dir.path, {{"kv_a_layernorm/bf16/3/fill=0x0p+0/rows=2", t.hash(), "bf16", "000.safetensors", "out/000.safetensors"}}), "");
    auto s = open_files_subject("files:" + dir.path);
    auto started = s->start();
    EXPECT_EQ(started.event, Event::not_loaded);
    EXPECT_NE(started.what.find("no outputs yet"), std::string::npos);

    const std::uint16_t y[6] = {1, 2, 3, 4, 5, 6};
    ASSERT_EQ(write_safetensors(dir.path + "/out/000.safetensors", {{"y", Type::bf16, {2, 3}, reinterpret_cast<const std::byte*>(y)}},
                                {{"name", "someone's norm"}, {"version", "9"}, {"contract", "bf16,cast_first"}}),
              "");
    ASSERT_EQ(s->start().event, Event::ok);
    EXPECT_EQ(s->name(), "someone's norm");
    ASSERT_EQ(s->entries().size(), 1u);
    EXPECT_EQ(s->entries()[0].contract, "bf16,cast_first");
    EXPECT_EQ(s->cases().size(), 1u);
    const auto o = s->run(0, t);
    ASSERT_EQ(o.event, Event::ok) << o.what;
    ASSERT_EQ(o.out.back().size(), sizeof y);
    EXPECT_EQ(std::memcmp(o.out.back().data(), y, sizeof y), 0);
    EXPECT_EQ(s->run(0, small_case(5)).event, Event::refused);

    const float wide[6] = {};
    ASSERT_EQ(write_safetensors(dir.path + "/out/000.safetensors", {{"y", Type::f32, {2, 3}, reinterpret_cast<const std::byte*>(wide)}}, {}), "");
    EXPECT_NE(s->run(0, t).what.find("'y' is F32, the contract says bf16"), std::string::npos);
    ASSERT_EQ(write_safetensors(dir.path + "/out/000.safetensors", {{"y", Type::bf16, {5}, reinterpret_cast<const std::byte*>(y)}}, {}), "");
    EXPECT_NE(s->run(0, t).what.find("5 elements, the case has 6"), std::string::npos);
    ASSERT_EQ(write_file(dir.path + "/out/000.safetensors", "junk"), "");
    EXPECT_EQ(s->run(0, t).event, Event::failed);
}

TEST(Files, EachTypeSaysItsOwnContractAndABrokenFileLeavesTheOthers) {
    Folder dir;
    ASSERT_EQ(write_manifest(dir.path, {{"a", 1, "bf16", "0", "out/0"}, {"b", 2, "bf16", "1", "out/1"}, {"c", 3, "fp16", "2", "out/2"}}), "");
    ASSERT_EQ(write_file(dir.path + "/out/0", "junk"), "");
    auto s = open_files_subject("files:" + dir.path);
    const auto started = s->start();
    EXPECT_EQ(started.event, Event::not_loaded);
    EXPECT_NE(started.what.find("out/0"), std::string::npos);
    const std::uint16_t y[1] = {};
    for (const char* k : {"/out/1", "/out/2"})
        ASSERT_EQ(write_safetensors(dir.path + k, {{"y", Type::bf16, {1}, reinterpret_cast<const std::byte*>(y)}},
                                    {{"contract", k[5] == '1' ? "bf16,cast_first" : "fp16,f32_gain"}}), "");
    ASSERT_EQ(s->start().event, Event::ok);
    ASSERT_EQ(s->entries().size(), 2u);
    EXPECT_EQ(s->entries()[0].contract, "bf16,cast_first");
    EXPECT_EQ(s->entries()[1].contract, "fp16,f32_gain");
}

TEST(Files, AManifestIsNotBelieved) {
    Folder dir;
    const auto error = [&](std::string_view text) {
        EXPECT_EQ(write_file(dir.path + "/manifest.json", text), "");
        return read_manifest(dir.path).error;
    };
    EXPECT_NE(read_manifest(dir.path + "/none").error.find("ulpgate export"), std::string::npos);
    EXPECT_NE(error("{").find("not a JSON"), std::string::npos);
    EXPECT_NE(error("{}").find("schema"), std::string::npos);
    EXPECT_NE(error(R"({"schema":"ulpgate.export/1","cases":[{}]})").find("cases[0] needs a string \"case\""), std::string::npos);
    EXPECT_NE(error(R"({"schema":"ulpgate.export/1","cases":[{"case":"c","types":"bf16","hash":"1","inputs":"a","outputs":"../../x"}]})")
                  .find("leaves the folder"),
              std::string::npos);
}

}  // namespace
}  // namespace ulpgate
