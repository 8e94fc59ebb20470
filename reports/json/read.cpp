#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/base/file.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/text.hpp"
#include "reports/json/in.hpp"
#include "reports/json/json.hpp"

namespace ulpgate {
namespace {

using json::In;
using json::Json;

Context context(const In& j) {
    Context c;
    c.version = j["version"].text();
    c.compiler = j["compiler"].text();
    c.flags = j["flags"].text();
    c.machine = j["machine"].text();
    c.isa = j["isa"].text();
    c.cpu = j["cpu"].text();
    c.system = j["system"].text();
    c.cores = static_cast<unsigned>(j["cores"].integer());
    c.ftz = j["ftz"].truth();
    c.seed = j["seed"].word();
    c.self_check = j["oracle"]["self_check"].word();
    c.self_check_failed = j["oracle"]["failed"].word();
    c.self_check_what = j["oracle"]["first"].text_or_nothing();
    c.share = j["share"].number();
    return c;
}

Witness witness(const In& j) {
    Witness w;
    if (j.null()) return w;
    w.row = j["row"].integer();
    w.col = j["col"].integer();
    if (w.col < 0) return w;
    w.x = j["x"].hex();
    w.w = j["w"].hex();
    w.got = j["got"].bits();
    const auto allowed = j["allowed"].list();
    if (allowed.size() != 2) j["allowed"].fail("two words are needed");
    w.allowed_lo = allowed[0].bits();
    w.allowed_hi = allowed[1].bits();
    return w;
}

Failure failure(const In& j) {
    Failure f;
    f.verdict = j["verdict"].verdict();
    f.incoherent = j["incoherent"].truth();
    f.what = j["what"].text();
    f.reason = j["reason"].text_or_nothing();
    f.types = j["types"].contract();
    f.witness = witness(j["witness"]);
    f.line = j["case"].text();
    f.replay = j["replay"].texts();
    return f;
}

ErrorHistogram histogram(const In& j) {
    ErrorHistogram h;
    for (const auto& pair : j.list()) {
        const auto p = pair.list();
        if (p.size() != 2) pair.fail("[smallest |error|, elements] is needed");
        h.put(ErrorHistogram::bin(p[0].number()), p[1].integer());
    }
    return h;
}

Measure measure(const In& j, const In& error) {
    Measure m;
    m.rows = j["rows"].integer();
    m.elements = error["elements"].integer();
    m.worst_ulp = error["ulp"]["worst"].number();
    m.worst_steps = error["ulp"]["steps"].integer();
    m.sum_ulp = error["ulp"]["sum"].number();
    m.worst = witness(error["ulp"]["witness"]);
    m.worst_r_ulp32 = error["r_ulp32"]["worst"].number();
    m.spec_limit_rows = error["spec_limit_rows"].integer();
    m.eps_dominated_rows = error["eps_dominated_rows"].integer();
    m.errors = histogram(error["histogram"]);
    for (const auto& b : error["by_rms"].list()) {
        m.by_rms[b["log2_rms"].octave()] = {b["rows"].integer(), b["worst_ulp"].number(), b["worst_r_ulp32"].number()};
    }
    m.outside = j["outside"].integer();
    return m;
}

std::vector<bool> seen(const In& by_d) {
    const auto d = by_d["d"].integer();
    if (d < 1 || d > 65536) by_d["d"].fail("a width from 1 to 65536 is needed");
    std::vector<bool> out(static_cast<std::size_t>(d), true);
    const auto text = by_d["unseen"].text();
    if (text.empty()) return out;
    for (const auto part : split(text, ',')) {
        const auto dash = part.find('-');
        std::int64_t from = 0, to = 0;
        const bool ok = parse_integer(part.substr(0, dash), from) && (dash == part.npos || parse_integer(part.substr(dash + 1), to));
        if (dash == part.npos) to = from;
        if (!ok || from < 0 || to < from || to >= d) by_d["unseen"].fail("column ranges as 3-15,1024 are needed");
        for (auto c = from; c <= to; ++c) out[static_cast<std::size_t>(c)] = false;
    }
    return out;
}

Sight sight(const In& j) {
    Sight s;
    s.rows = j["rows"].integer();
    s.r_high = j["r_high"].number();
    s.r_low = j["r_low"].number();
    s.eps_high = j["eps_high"].number();
    s.eps_low = j["eps_low"].number();
    s.cast_order = j["cast_order"].truth();
    s.rows_cast_order = j["cast_order_rows"].integer();
    for (const auto& c : j["by_d"].list()) s.column[c["d"].integer()] = seen(c);
    s.count();
    return s;
}

void explanation(const In& j, Group& g) {
    if (j.has("names")) g.names = j["names"].texts();
    if (j.has("text")) g.explained = j["text"].texts();
    if (j.has("smallest")) g.smallest = SmallestRow{j["smallest"]["text"].text(), j["smallest"]["columns"].integer(), j["smallest"]["case"].text_or_nothing()};
    g.unknown = j["unknown"].text_or_nothing();
    for (const auto& x : j["excluded"].list())
        if (x.has("fault")) g.excluded.push_back({x["fault"].text(), x["row"].integer(), x["col"].integer(), x["why"].text()});
    for (const auto& t : j["tried"].list())
        g.whole.candidates.push_back({t["contract"].contract(), t["fits"].truth(), t["row"].integer(), t["col"].integer(), t["rows"].integer(), t["outputs"].integer()});
}

LimitResult limit(const In& j) {
    return {j["quantity"].text(), j["limit"].number(),           j["measured"].number(), j["where"].text(),
            j["why"].text(),      j["case"].text_or_nothing(), j["over"].truth(),      j["note"].text_or_nothing()};
}

Cell cell(const In& j) {
    Cell c;
    c.d = j["d"].integer();
    c.profile = j["profile"].text();
    c.measure.rows = j["rows"].integer();
    c.measure.elements = j["elements"].integer();
    c.measure.worst_ulp = j["worst_ulp"].number();
    c.measure.worst_r_ulp32 = j["worst_r_ulp32"].number();
    c.measure.outside = j["outside"].integer();
    c.line = j["case"].text_or_nothing();
    return c;
}

void query(const In& j, Judgement& to) {
    for (const auto& s : j["stages"].list())
        to.stages.push_back({s["stage"].text(), s["outputs"].integer(), s["at_most_two"].integer(), s["untold"].integer(), s["outside"].integer(), s["width"].number()});
    if (!j.has("shares")) return;
    auto& q = to.shares;
    q.whole = j["shares"]["whole"].number();
    q.outputs = j["shares"]["outputs"].integer();
    const auto stages = j["shares"]["stages"].list();
    if (stages.size() != query_error_stages.size()) j["shares"]["stages"].fail("five stages are needed");
    for (std::size_t k = 0; k < stages.size(); ++k) q.square[k] = stages[k]["square"].number(), q.cross[k] = stages[k]["cross"].number(), q.largest[k] = stages[k]["largest"].number();
}

Group group(const In& j) {
    Group g;
    g.subject = j["subject"].text();
    g.op = j["op"].text();
    g.type = j["type"].type();
    g.d = j["d"].integers();
    const In cases = j["cases"];
    g.cases = cases["run"].integer();
    g.passed_cases = cases["passed"].integer();
    g.failing_cases = cases["failing"].integer();
    g.refused_cases = cases["refused"].integer();
    g.unreadable_cases = cases["unreadable"].integer();
    g.other_tensors_cases = cases["other_tensors"].integer();
    g.claim = j["claim"].claim();
    g.inferred = g.whole.inferred = j["inferred"].truth();
    g.unexplained = j["unexplained"].truth();
    g.verdict = j["verdict"].verdict();
    g.whole.measure = measure(j, j["error"]);
    g.whole.sight = sight(j["would_have_seen"]);
    if (j.has("query")) query(j["query"], g.whole);
    g.worst_line = j["error"]["ulp"]["case"].text_or_nothing();
    for (const auto& c : j["cells"].list()) g.cells.push_back(cell(c));
    for (const auto& f : j["failures"].list()) g.failures.push_back(failure(f));
    explanation(j["explanation"], g);
    g.fix = j["fix"].text_or_nothing();
    g.findings = j["findings"].texts();
    for (const auto& l : j["limits"].list()) g.limits.push_back(limit(l));
    if (j.has("known")) {
        const In k = j["known"];
        g.known = Known{k["finding"].text(), k["why"].text(), k["until"].text(), k["where"].text(), k["changed"].truth()};
    }
    g.seconds = j["seconds"].number();
    return g;
}

Result whole(const In& j) {
    const auto schema = j["schema"].text();
    if (schema != run_schema)
        j["schema"].fail(fmt::format("'{}' is not {}: read it with the ulpgate that wrote it, or run again with this one", schema, run_schema));
    Result r;
    r.context = context(j["context"]);
    for (const auto& s : j["subjects"].list())
        r.subjects.push_back({s["subject"].text(), s["name"].text(), s["version"].text_or_nothing(), s["fp_mode"].text_or_nothing()});
    for (const auto& g : j["results"].list()) r.groups.push_back(group(g));
    if (j.has("stages"))
        for (const auto& t : j["stages"].list()) r.stages.push_back(json::stages(t));
    if (j.has("eps"))
        for (const auto& t : j["eps"].list()) r.eps.push_back(json::eps(t));
    if (j.has("maxima"))
        for (const auto& m : j["maxima"].list()) r.maxima.push_back(json::maximum(m));
    for (const auto& s : j["skipped"].list()) r.skipped.push_back({s["subject"].text(), s["reason"].text(), s["required"].truth()});
    for (const auto& s : j["not_loaded"].list()) r.not_loaded.push_back({s["subject"].text(), s["reason"].text()});
    r.notes = j["notes"].texts();
    r.seconds = j["seconds"].number();
    r.claim_missing = j["claim_missing"].truth();
    r.complete = j["complete"].truth();
    r.exit = static_cast<int>(j["exit"].integer());
    return r;
}

}  // namespace

ReadRun parse_run(std::string_view text, const std::string& name) {
    ReadRun out;
    try {
        const auto j = Json::parse(text);
        out.result = whole({j, ""});
    } catch (const Json::parse_error& e) {
        const bool cut = e.byte > text.size();
        out.error = cut ? fmt::format("{}: ends in the middle (after {} bytes): it was cut off; write it again", name, text.size())
                        : fmt::format("{}: not JSON at byte {}: is this a file that gate --json wrote?", name, e.byte);
    } catch (const json::Unreadable& e) {
        out.error = fmt::format("{}: {}", name, e.what());
    }
    if (!out.error.empty()) out.result = {};
    return out;
}

ReadRun read_run(const std::string& path) {
    std::string text;
    if (auto e = read_file(path, text); !e.empty()) return {{}, e};
    return parse_run(text, path);
}

}  // namespace ulpgate
