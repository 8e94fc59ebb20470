#include "properties/long_check/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "properties/judge/judge.hpp"
#include "properties/long_check/draw.hpp"
#include "reference/base/file.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::long_check {
namespace {

constexpr const char* schema = "ulpgate.long_check/1";

std::string width_name(std::int64_t d) {
    for (const std::int64_t own : {1, 512, 1536, 7168, 7169})
        if (d == own) return fmt::format("{:04}", d);
    for (const std::int64_t end : {15, 127, 511, 1535, 7167})
        if (d <= end) return fmt::format("to {:04}", end);
    return "above";
}

std::string compiler_name() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string cpu_name() {
    std::string text;
    if (!read_file("/proc/cpuinfo", text).empty()) return "";
    const auto at = text.find("model name"), colon = text.find(": ", at);
    return at == text.npos || colon == text.npos ? "" : text.substr(colon + 2, text.find('\n', colon) - colon - 2);
}

}  // namespace

void Record::step() {
    const Task t = draw(tasks);
    const Made made = make(t.input);
    Judgement j;
    if (made.error.empty()) {
        Outcome o;
        o.out = t.subject.run(made.tensors);
        j = judge(made.tensors, o, t.input.claim);
    } else {
        j.verdict = Verdict::crashed;
        j.what = made.error;
    }
    if (j.verdict != Verdict::pass && j.verdict != Verdict::mistrusted)
        findings.push_back({tasks, t.line, t.model, fmt::format("{}: {} {}", name(j.verdict), j.what, j.reason)});
    const std::int64_t judged = j.measure.elements ? j.measure.rows * t.input.d : 0;
    rows += j.measure.rows;
    elements += judged;
    by_type[std::string(name(t.input.claim[0].x))] += judged;
    by_width[width_name(t.input.d)] += judged;
    by_profile[t.input.profile] += judged;
    const std::string claim = print(t.input.claim, false);
    for (const auto word : split(claim, ','))
        if (const auto eq = word.find('='); eq != word.npos) by_field[std::string(word.substr(0, eq))] += judged;
    ++tasks;
}

void stamp(Record& r, const std::string& commit) {
    r.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    r.commit = commit;
    r.compiler = compiler_name();
    r.cpu = cpu_name();
}

std::string to_json(const Record& r) {
    nlohmann::ordered_json j;
    j["schema"] = schema;
    j["date"] = r.date;
    j["commit"] = r.commit;
    j["compiler"] = r.compiler;
    j["cpu"] = r.cpu;
    j["tasks"] = r.tasks;
    j["rows"] = r.rows;
    j["elements"] = r.elements;
    j["seconds"] = r.seconds;
    j["by_type"] = r.by_type;
    j["by_width"] = r.by_width;
    j["by_profile"] = r.by_profile;
    j["by_field"] = r.by_field;
    j["findings"] = nlohmann::ordered_json::array();
    for (const Finding& f : r.findings)
        j["findings"].push_back({{"task", f.task}, {"case", f.line}, {"model", f.model}, {"what", f.what}});
    return j.dump(2) + "\n";
}

std::string from_json(const std::string& text, Record& r) try {
    const auto j = nlohmann::json::parse(text);
    if (j.at("schema") != schema) return fmt::format("not a record of {}", schema);
    r = {};
    j.at("date").get_to(r.date);
    j.at("commit").get_to(r.commit);
    j.at("compiler").get_to(r.compiler);
    j.at("cpu").get_to(r.cpu);
    j.at("tasks").get_to(r.tasks);
    j.at("rows").get_to(r.rows);
    j.at("elements").get_to(r.elements);
    j.at("seconds").get_to(r.seconds);
    j.at("by_type").get_to(r.by_type);
    j.at("by_width").get_to(r.by_width);
    j.at("by_profile").get_to(r.by_profile);
    j.at("by_field").get_to(r.by_field);
    for (const auto& f : j.at("findings"))
        r.findings.push_back({f.at("task"), f.at("case"), f.at("model"), f.at("what")});
    return "";
} catch (const nlohmann::json::exception& e) {
    return e.what();
}

}  // namespace ulpgate::long_check
