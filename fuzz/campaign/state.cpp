#include "fuzz/campaign/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "reference/base/file.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::fuzzing {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "ulpgate.fuzz/2";

Json to_json(const Finding& f) {
    return {{"file", f.file()}, {"kind", f.kind}, {"diagnosis", f.diagnosis}, {"lines", f.lines}, {"what", f.what}, {"reason", f.reason}, {"line", f.line},
            {"found_as", f.found_as}, {"at", f.at}, {"times", f.times}, {"seconds", f.seconds}, {"named_after", f.named_after}, {"unclaimed", f.unclaimed}};
}

Finding finding_from(const Json& j) {
    Finding f;
    j.at("kind").get_to(f.kind);
    j.at("diagnosis").get_to(f.diagnosis);
    j.at("lines").get_to(f.lines);
    j.at("what").get_to(f.what);
    j.at("reason").get_to(f.reason);
    j.at("line").get_to(f.line);
    j.at("found_as").get_to(f.found_as);
    j.at("at").get_to(f.at);
    j.at("times").get_to(f.times);
    j.at("seconds").get_to(f.seconds);
    j.at("named_after").get_to(f.named_after);
    f.unclaimed = j.value("unclaimed", false);
    return f;
}

Json to_json(const State& s) {
    Json j{{"schema", schema}, {"subject", s.subject}, {"version", s.version}, {"build", s.build}, {"seed", s.seed}, {"probes", s.probes}, {"types", s.types}, {"d", s.d},
           {"generation", s.generation}, {"cases", s.cases}, {"refused", s.refused}, {"seconds", s.seconds}, {"seen", s.seen}, {"dropped", s.dropped}};
    j["records"] = Json::object();
    for (const auto& [contract, r] : s.records)
        j["records"][contract] = {{"r_ulp32", hexfloat(r.r_ulp32)}, {"r_line", r.r_line}, {"ulp", hexfloat(r.ulp)}, {"ulp_line", r.ulp_line}};
    j["findings"] = Json::array();
    for (const auto& f : s.findings) j["findings"].push_back(to_json(f));
    j["mended"] = Json::array();
    for (const auto& f : s.mended) j["mended"].push_back(to_json(f));
    j["corpus"] = Json::array();
    for (const auto& c : s.corpus) j["corpus"].push_back({{"entry", c.entry}, {"case", print(c.input)}});
    j["features"] = s.features;
    return j;
}

void from_json(const Json& j, State& s) {
    j.at("subject").get_to(s.subject);
    j.at("version").get_to(s.version);
    j.at("build").get_to(s.build);
    j.at("seed").get_to(s.seed);
    j.at("probes").get_to(s.probes);
    j.at("types").get_to(s.types);
    j.at("d").get_to(s.d);
    j.at("generation").get_to(s.generation);
    j.at("cases").get_to(s.cases);
    j.at("refused").get_to(s.refused);
    j.at("seconds").get_to(s.seconds);
    j.at("seen").get_to(s.seen);
    j.at("dropped").get_to(s.dropped);
    for (const auto& [contract, r] : j.at("records").items())
        s.records[contract] = {read_float(r.at("r_ulp32").get<std::string>()).value_or(0), read_float(r.at("ulp").get<std::string>()).value_or(0),
                               r.at("r_line"), r.at("ulp_line")};
    for (const auto& f : j.at("findings")) s.findings.push_back(finding_from(f));
    for (const auto& f : j.at("mended")) s.mended.push_back(finding_from(f));
    for (const auto& c : j.at("corpus")) {
        CorpusCase k;
        c.at("entry").get_to(k.entry);
        const auto line = c.at("case").get<std::string>();
        if (const auto bad = parse(line, k.input)) throw std::runtime_error(fmt::format("case '{}', column {}: {}", line, bad->at + 1, bad->what));
        s.corpus.push_back(std::move(k));
    }
    j.at("features").get_to(s.features);
    if (s.generation < 0 || s.cases < 0 || !std::is_sorted(s.features.begin(), s.features.end())) throw std::runtime_error("a count below 0, or features out of order");
}

}  // namespace

std::string read_state(const std::string& folder, State& out, bool& found) {
    found = false;
    const std::string path = folder + "/state.json";
    if (std::error_code ec; !std::filesystem::exists(path, ec)) return "";
    std::string text;
    if (auto e = read_file(path, text); !e.empty()) return e;
    if (auto e = parse_state(text, path, out); !e.empty()) return e;
    found = true;
    return "";
}

std::string parse_state(std::string_view text, const std::string& path, State& out) {
    try {
        const Json j = Json::parse(text);
        if (j.at("schema") != schema) return fmt::format("{}: schema {}, this ulpgate reads {}: give another folder with -o", path, j.at("schema").dump(), schema);
        from_json(j, out);
    } catch (const std::exception& e) {
        return fmt::format("{}: {}: no state of a campaign; remove it, or give another folder with -o", path, e.what());
    }
    return "";
}

std::string write_state(const std::string& folder, const State& s) {
    for (const auto& f : s.findings)
        if (auto e = write_file(fmt::format("{}/{}", folder, f.file()), text_of(f, s.subject, s.seed)); !e.empty()) return e;
    return write_file(folder + "/state.json", to_json(s).dump(1) + "\n");
}

}  // namespace ulpgate::fuzzing
