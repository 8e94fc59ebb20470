// What is written against the schema that is published, by a validator of others.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "reference/base/file.hpp"
#include "reports/json/json.hpp"
#include "reports/result/example_test.hpp"

namespace ulpgate {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

std::string errors(const nlohmann::json& j) {
    std::string text;
    EXPECT_EQ(read_file(std::string(ULPGATE_SOURCE) + "/reports/json/run.schema.json", text), "");
    const auto published = nlohmann::json::parse(text);
    valijson::Schema schema;
    valijson::SchemaParser().populateSchema(Adapter(published), schema);
    valijson::ValidationResults results;
    if (valijson::Validator().validate(schema, Adapter(j), &results)) return "";
    std::string out;
    valijson::ValidationResults::Error e;
    while (results.popError(e)) {
        for (const auto& c : e.context) out += c;
        out += ": " + e.description + "\n";
    }
    return out;
}

TEST(RunSchema, HoldsForEverythingThatIsWritten) {
    auto r = example::run();
    r.groups[0].whole.measure.worst_ulp = std::numeric_limits<double>::infinity();
    r.groups[0].whole.candidates.push_back({r.groups[0].claim[0], false, 1, 2, 3, 4});
    r.groups[0].excluded.push_back({"eps.none", 1, 2, "got 3f80"});
    r.groups[0].whole.sight.column[1536] = std::vector<bool>(1536);
    EXPECT_EQ(errors(nlohmann::json::parse(to_json(r))), "");
    EXPECT_EQ(errors(nlohmann::json::parse(to_json(Result{}))), "");
}

TEST(RunSchema, RefusesWhatIsNotOne) {
    const auto good = nlohmann::json::parse(to_json(example::run()));
    const auto without = [&](auto change) {
        auto j = good;
        change(j);
        return errors(j);
    };
    EXPECT_NE(without([](auto& j) { j["schema"] = "ulpgate.run/2"; }), "");
    EXPECT_NE(without([](auto& j) { j["results"][0].erase("verdict"); }), "");
    EXPECT_NE(without([](auto& j) { j["results"][0]["verdict"] = "fine"; }), "");
    EXPECT_NE(without([](auto& j) { j["results"][0]["error"]["ulp"]["worst"] = "many"; }), "");
    EXPECT_NE(without([](auto& j) { j["results"][2]["witness"] = 3; }), "");
    EXPECT_NE(without([](auto& j) { j["exit"] = 70; }), "");
}

}  // namespace
}  // namespace ulpgate
