#include "reports/sarif/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "reference/base/hash.hpp"
#include "reports/annotations/annotations.hpp"
#include "reports/console/console.hpp"
#include "reports/escape/escape.hpp"

namespace ulpgate {
namespace {

using Json = nlohmann::ordered_json;

struct Finding {
    std::string rule, level, message;
    std::string where;  // FILE:LINE of a budget, or ""
    std::string subject, identity;
    bool suppressed = false;
    std::string why;
};

std::string rule_of(const Group& g) {
    const auto f = finding_of(g);
    const auto colon = f.find(": ");
    return colon == f.npos ? f : f.substr(0, colon) + "/" + f.substr(colon + 2);
}

std::vector<Finding> findings(const Result& r) {
    std::vector<Finding> out;
    for (const auto& g : r.groups) {
        const auto identity = fmt::format("{}\n{}\n{}\n{}\n{}", g.subject, g.op, name(g.type), print(g.claim), finding_of(g));
        const bool known = g.known && !g.known->changed;
        if (fails(g.verdict)) {
            Finding f{rule_of(g), "error", failure_text(r, g, {}), g.known ? g.known->where : "", g.subject, identity, known, known ? g.known->why : ""};
            for (const auto& l : g.limits)
                if (l.over && f.where.empty()) f.where = l.where;
            out.push_back(f);
        } else if (g.verdict == Verdict::mistrusted || g.verdict == Verdict::unsupported) {
            out.push_back({rule_of(g), "warning", g.findings.empty() ? std::string(name(g.verdict)) : g.findings.front(), "", g.subject, identity, false, ""});
        }
    }
    for (const auto& n : r.not_loaded) out.push_back({"not_loaded", "error", n.reason, "", n.subject, n.subject + "\nnot_loaded", false, ""});
    for (const auto& s : r.skipped)
        out.push_back({"skipped", s.required ? "error" : "note", s.reason, "", s.subject, s.subject + "\nskipped", false, ""});
    return out;
}

// Percent-encoded as RFC 3986 asks of a path.
std::string uri(std::string_view path) {
    std::string s;
    for (const char c : path) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalnum(u) || std::string_view("-._~/").find(c) != std::string_view::npos) s += c;
        else s += fmt::format("%{:02X}", u);
    }
    return s;
}

Json location(const Finding& f) {
    Json l = Json::object();
    const auto [file, line] = place_of(f.where);
    if (line) {
        l["physicalLocation"] = {{"artifactLocation", {{"uri", uri(file)}}}, {"region", {{"startLine", line}}}};
    } else if (f.subject.find('/') != f.subject.npos && f.subject.find(".so") != f.subject.npos) {
        const auto path = f.subject.substr(0, f.subject.find('@'));
        l["physicalLocation"] = {{"artifactLocation", {{"uri", uri(path.starts_with("./") ? path.substr(2) : path)}}}};
    }
    l["logicalLocations"] = Json::array({{{"fullyQualifiedName", printable(f.subject)}, {"kind", "module"}}});
    return l;
}

std::string fingerprint(const std::string& identity) {
    Hash h;
    h.add(identity.data(), identity.size());
    return fmt::format("{:016x}", h.value());
}

std::string plain(const std::string& text) {  // lines kept, nothing else that could act
    std::string out;
    std::size_t from = 0;
    while (from < text.size()) {
        const auto end = std::min(text.find('\n', from), text.size());
        out += (out.empty() ? "" : "\n") + printable(std::string_view(text).substr(from, end - from));
        from = end + 1;
    }
    return out.empty() ? "no more is known" : out;
}

}  // namespace

std::string to_sarif(const Result& r) {
    const auto all = findings(r);
    Json rules = Json::array(), results = Json::array();
    std::vector<std::string> ids;
    for (const auto& f : all) {
        auto at = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), f.rule) - ids.begin());
        if (at == ids.size()) {
            ids.push_back(f.rule);
            rules.push_back({{"id", f.rule}, {"shortDescription", {{"text", f.rule}}}});
        }
        Json j = {{"ruleId", f.rule},
                  {"ruleIndex", at},
                  {"level", f.level},
                  {"message", {{"text", plain(f.message)}}},
                  {"locations", Json::array({location(f)})},
                  {"partialFingerprints", {{"ulpgate/v1", fingerprint(f.identity)}}}};
        if (f.suppressed) j["suppressions"] = Json::array({{{"kind", "external"}, {"justification", f.why}}});
        results.push_back(j);
    }
    Json j;
    j["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
    j["version"] = "2.1.0";
    j["runs"] = Json::array({{{"tool", {{"driver", {{"name", "ulpgate"}, {"version", r.context.version}, {"rules", rules}}}}},
                              {"invocations", Json::array({{{"executionSuccessful", r.complete && r.exit != 3}, {"exitCode", r.exit}}})},
                              {"results", results}}});
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpgate
