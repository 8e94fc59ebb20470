#include "impls/subject/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reference/base/file.hpp"
#include "reference/base/text.hpp"

namespace ulpgate {
namespace {

using nlohmann::json;
constexpr const char* schema = "ulpgate.export/1";

Manifest failed(std::string what) {
    Manifest m;
    m.error = std::move(what);
    return m;
}

// The outputs must stay inside the folder: a manifest may come from elsewhere.
bool inside(std::string_view path) {
    if (path.empty() || path[0] == '/') return false;
    for (auto part : split(path, '/'))
        if (part == "..") return false;
    return true;
}

}  // namespace

Manifest read_manifest(const std::string& dir) {
    const std::string path = dir + "/manifest.json";
    std::string text;
    if (auto e = read_file(path, text, std::size_t{1} << 28); !e.empty())
        return failed(e + " (`ulpgate export OP DIR` writes it)");
    return parse_manifest(text, path);
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
    const json j = json::parse(text, nullptr, false);
    if (j.is_discarded() || !j.is_object()) return failed(path + ": not a JSON object");
    if (j.value("schema", json()) != schema) return failed(path + ": schema is not \"" + schema + "\"");
    if (!j.contains("cases") || !j["cases"].is_array()) return failed(path + ": needs a list \"cases\"");
    Manifest m;
    for (const auto& c : j["cases"]) {
        const auto where = fmt::format("{}: cases[{}]", path, m.cases.size());
        ManifestCase k;
        for (const auto& [key, to] : {std::pair{"case", &k.line}, {"types", &k.types}, {"inputs", &k.inputs}, {"outputs", &k.outputs}}) {
            if (!c.is_object() || !c.contains(key) || !c[key].is_string()) return failed(where + " needs a string \"" + key + "\"");
            *to = c[key].get<std::string>();
        }
        if (!c.contains("hash") || !c["hash"].is_string() || !parse_integer(c["hash"].get<std::string>(), k.hash, 16))
            return failed(where + ": \"hash\" is not 16 hex digits");
        if (!inside(k.inputs) || !inside(k.outputs)) return failed(where + ": a path leaves the folder");
        m.cases.push_back(std::move(k));
    }
    return m;
}

std::string write_manifest(const std::string& dir, const std::vector<ManifestCase>& cases) {
    json list = json::array();
    for (const auto& c : cases)
        list.push_back({{"case", c.line}, {"hash", fmt::format("{:016x}", c.hash)}, {"types", c.types}, {"inputs", c.inputs}, {"outputs", c.outputs}});
    return write_file(dir + "/manifest.json", json{{"schema", schema}, {"cases", std::move(list)}}.dump(1) + "\n");
}

}  // namespace ulpgate
