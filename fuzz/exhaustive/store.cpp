// DIR/exhaustive-I-of-N.json (ulpgate.exhaustive/1), its merging, and the table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "fuzz/exhaustive/exhaustive.hpp"
#include "properties/cases/case.hpp"
#include "reference/base/file.hpp"
#include "reference/base/hexfloat.hpp"

namespace ulpgate::fuzzing {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* schema = "ulpgate.exhaustive/1";

Json to_json(const Unit& u) {
    return {{"entry", u.entry}, {"gain", u.gain}, {"first", u.first}, {"words", u.words}, {"judged", u.judged}, {"inadmissible", u.inadmissible},
            {"refused", u.refused}, {"failing", u.failing}, {"worst_ulp", hexfloat(u.worst_ulp)}, {"worst", u.worst}, {"seconds", u.seconds}};
}

Unit unit_from(const Json& j) {
    Unit u;
    j.at("entry").get_to(u.entry);
    j.at("gain").get_to(u.gain);
    j.at("first").get_to(u.first);
    j.at("words").get_to(u.words);
    j.at("judged").get_to(u.judged);
    j.at("inadmissible").get_to(u.inadmissible);
    j.at("refused").get_to(u.refused);
    j.at("failing").get_to(u.failing);
    u.worst_ulp = read_float(j.at("worst_ulp").get<std::string>()).value();
    j.at("worst").get_to(u.worst);
    j.at("seconds").get_to(u.seconds);
    return u;
}

}  // namespace

std::string line_of(const ExhaustiveRun& r, const Unit& u, std::uint32_t word) {
    Case c;
    if (parse(r.contracts.at(u.entry), c.claim)) return "";
    c.d = 1;
    c.eps = r.eps;
    c.program.fill = word;
    if (c.claim[0].gain != Gain::none) c.w_program.fill = encode(c.claim[0].w, r.gains.at(u.gain));
    c.h = make(c).tensors.hash();
    return print(c);
}

std::string exhaustive_file(const ExhaustiveOptions& o) { return fmt::format("{}/exhaustive-{}-of-{}.json", o.folder, o.shard + 1, o.shards); }

std::string write_exhaustive(const std::string& path, const ExhaustiveRun& r) {
    Json j{{"schema", schema}, {"subject", r.subject}, {"library", r.library}, {"contracts", r.contracts}, {"eps", hexfloat(r.eps)},
           {"shard", r.shard}, {"shards", r.shards}, {"units", r.units}, {"seconds", r.seconds}};
    j["gains"] = Json::array();
    for (const double g : r.gains) j["gains"].push_back(hexfloat(g));
    j["done"] = Json::array();
    for (const auto& u : r.done) j["done"].push_back(to_json(u));
    return write_file(path, j.dump(1) + "\n");
}

bool is_exhaustive(const std::string& path) {
    std::string text;
    return read_file(path, text).empty() && text.substr(0, 200).find(fmt::format("\"{}\"", schema)) != text.npos;
}

std::string read_exhaustive(const std::string& path, ExhaustiveRun& r) {
    std::string text;
    if (auto e = read_file(path, text); !e.empty()) return e;
    return parse_exhaustive(text, path, r);
}

std::string parse_exhaustive(std::string_view text, const std::string& path, ExhaustiveRun& r) {
    try {
        const Json j = Json::parse(text);
        if (j.at("schema") != schema) return fmt::format("{}: schema {}, not {}", path, j.at("schema").dump(), schema);
        j.at("subject").get_to(r.subject);
        j.at("library").get_to(r.library);
        j.at("contracts").get_to(r.contracts);
        r.eps = read_float(j.at("eps").get<std::string>()).value();
        j.at("shard").get_to(r.shard);
        j.at("shards").get_to(r.shards);
        j.at("units").get_to(r.units);
        j.at("seconds").get_to(r.seconds);
        for (const auto& g : j.at("gains")) r.gains.push_back(read_float(g.get<std::string>()).value());
        for (const auto& u : j.at("done")) {
            r.done.push_back(unit_from(u));
            if (r.done.back().entry >= r.contracts.size() || r.done.back().gain >= r.gains.size()) return path + ": a unit of no entry or gain";
        }
    } catch (const std::exception& e) {
        return fmt::format("{}: {}: not a file of search --exhaustive", path, e.what());
    }
    return "";
}

ExhaustiveRun merge_exhaustive(const std::vector<std::string>& paths) {
    ExhaustiveRun whole;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        ExhaustiveRun one;
        if (one.error = read_exhaustive(paths[k], one); !one.error.empty()) return one;
        if (k == 0) {
            whole = one;
            continue;
        }
        if (one.subject != whole.subject || one.library != whole.library || one.contracts != whole.contracts || one.gains != whole.gains ||
            one.eps != whole.eps || one.units != whole.units) {
            whole.error = fmt::format("{}: another subject, build or set of gains than {}", paths[k], paths[0]);
            return whole;
        }
        whole.seconds += one.seconds;
        for (const auto& u : one.done) {
            const bool twice = std::any_of(whole.done.begin(), whole.done.end(),
                                           [&](const Unit& d) { return d.entry == u.entry && d.gain == u.gain && d.first == u.first; });
            if (twice) {
                whole.error = fmt::format("{}: the words from {:#x} on of {} are in two files", paths[k], u.first, whole.contracts[u.entry]);
                return whole;
            }
            whole.done.push_back(u);
        }
    }
    if (paths.size() > 1) whole.shard = 0, whole.shards = 1;
    return whole;
}

std::string text_of(const ExhaustiveRun& r) {
    struct Total {
        std::int64_t words = 0, judged = 0, inadmissible = 0, refused = 0;
        const Unit* worst = nullptr;
        double seconds = 0;
    };
    std::map<std::pair<std::size_t, std::size_t>, Total> totals;
    for (const auto& u : r.done) {
        Total& t = totals[{u.entry, u.gain}];
        t.words += u.words;
        t.judged += u.judged;
        t.inadmissible += u.inadmissible;
        t.refused += u.refused;
        t.seconds += u.seconds;
        if (!t.worst || u.worst_ulp > t.worst->worst_ulp) t.worst = &u;
    }
    std::string s = fmt::format("{:<36} {:>24} {:>13} {:>12} {:>12} {:>9}  worst at\n", "exhaustive, d = 1", "gain", "words", "inadmissible", "by judge()", "ulp");
    for (const auto& [key, t] : totals)
        s += fmt::format("{:<36} {:>24} {:>13} {:>12} {:>12} {:>9.4f}  {:x}\n", r.contracts[key.first], hexfloat(r.gains[key.second]), t.words, t.inadmissible,
                         t.judged, t.worst->worst_ulp, t.worst->worst);
    for (const auto& u : r.done)
        for (const auto w : u.failing) {
            s += fmt::format("inadmissible\n  replay  ulpgate replay {} {}\n", r.subject, line_of(r, u, w));
            if (&w - u.failing.data() == 0 && u.inadmissible > 1) s += fmt::format("  and {} more from {:x} on\n", u.inadmissible - 1, u.first);
            break;
        }
    s += fmt::format("{} of {} units, {:.1f} s{}\n", r.done.size(), r.units, r.seconds, r.complete() ? "" : ", not complete");
    return s;
}

}  // namespace ulpgate::fuzzing
