#include "reports/json/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reference/base/hexfloat.hpp"

namespace ulpgate {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    return v;
}

std::string word(Type t, std::uint32_t w) { return fmt::format("{:0{}x}", w, t == Type::none ? 8 : 2 * bytes(t)); }

Json optional(const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); }

Json context(const Context& c) {
    return {{"version", c.version},
            {"compiler", c.compiler},
            {"flags", c.flags},
            {"machine", c.machine},
            {"isa", c.isa},
            {"cpu", c.cpu},
            {"system", c.system},
            {"cores", c.cores},
            {"ftz", c.ftz},
            {"seed", c.seed},
            {"oracle", {{"self_check", c.self_check}, {"failed", c.self_check_failed}, {"first", optional(c.self_check_what)}}},
            {"share", number(c.share)}};
}

// hex floats for inputs, words for what is compared
Json element(const Witness& w, const Contract& types) {
    if (w.row < 0) return nullptr;
    Json j = {{"row", w.row}, {"col", w.col}};
    if (w.col < 0) return j;
    j["x"] = hexfloat(static_cast<double>(w.x));
    j["w"] = hexfloat(static_cast<double>(w.w));
    j["got"] = word(types.y, w.got);
    j["allowed"] = Json::array({word(types.y, w.allowed_lo), word(types.y, w.allowed_hi)});
    return j;
}

// [[smallest |error| of the bin, elements], ...], bins of 1/16 ulp below 2, an octave from there; empty bins left out.
Json histogram(const ErrorHistogram& h) {
    Json out = Json::array();
    for (int k = 0; k < ErrorHistogram::bins; ++k)
        if (h.count(k)) out.push_back(Json::array({number(ErrorHistogram::lower(k)), h.count(k)}));
    return out;
}

Json by_rms(const ByRms& all) {
    Json out = Json::array();
    for (const auto& [octave, b] : all)
        out.push_back({{"log2_rms", octave == zero_row ? Json("zero") : Json(octave)},
                       {"rows", b.rows},
                       {"worst_ulp", number(b.worst_ulp)},
                       {"worst_r_ulp32", number(b.worst_r_ulp32)}});
    return out;
}

Json cells(const Group& g) {
    Json out = Json::array();
    for (const auto& c : g.cells)
        out.push_back({{"d", c.d},
                       {"profile", c.profile},
                       {"rows", c.measure.rows},
                       {"elements", c.measure.elements},
                       {"worst_ulp", number(c.measure.worst_ulp)},
                       {"worst_r_ulp32", number(c.measure.worst_r_ulp32)},
                       {"outside", c.measure.outside},
                       {"case", optional(c.line)}});
    return out;
}

Json error(const Group& g) {
    const auto& m = g.whole.measure;
    Json j;
    j["count"] = fmt::format("sampled {}", m.rows);
    j["elements"] = m.elements;
    j["ulp"] = {{"worst", number(m.worst_ulp)},
                {"steps", m.worst_steps},
                {"bias", number(m.elements ? m.sum_ulp / static_cast<double>(m.elements) : 0.0)},
                {"sum", number(m.sum_ulp)},
                {"case", optional(g.worst_line)},
                {"witness", element(m.worst, g.claim.empty() ? Contract{} : g.claim[0])}};
    j["r_ulp32"] = {{"worst", number(m.worst_r_ulp32)}};
    j["spec_limit_rows"] = m.spec_limit_rows;
    j["eps_dominated_rows"] = m.eps_dominated_rows;
    j["histogram"] = histogram(m.errors);
    j["by_rms"] = by_rms(m.by_rms);
    return j;
}

// "3-15,1024": what is false.
std::string unseen(const std::vector<bool>& seen) {
    std::string s;
    for (std::size_t j = 0; j < seen.size(); ++j) {
        if (seen[j]) continue;
        std::size_t last = j;
        while (last + 1 < seen.size() && !seen[last + 1]) ++last;
        s += fmt::format("{}{}", s.empty() ? "" : ",", j);
        if (last > j) s += fmt::format("-{}", last);
        j = last;
    }
    return s;
}

Json sight(const Sight& s) {
    Json columns = Json::array();
    for (const auto& [d, seen] : s.column) columns.push_back({{"d", d}, {"unseen", unseen(seen)}});
    return {{"text", s.text()},
            {"rows", s.rows},
            {"r_relative", number(s.r_relative)},
            {"r_high", number(s.r_high)},
            {"r_low", number(s.r_low)},
            {"eps_relative", number(s.eps_relative)},
            {"eps_high", number(s.eps_high)},
            {"eps_low", number(s.eps_low)},
            {"cast_order", s.cast_order},
            {"cast_order_rows", s.rows_cast_order},
            {"any_column", s.any_column},
            {"columns", s.columns_seen},
            {"by_d", columns}};
}

// Of mla_query and head: what the check was worth at each stage, and where the error comes from.
Json query(const Judgement& j) {
    if (j.stages.empty()) return nullptr;
    Json stages = Json::array();
    for (const QueryStage& s : j.stages)
        stages.push_back({{"stage", s.stage}, {"outputs", s.outputs}, {"at_most_two", s.at_most_two}, {"untold", s.untold}, {"outside", s.outside}, {"width", number(s.width)}});
    const auto& q = j.shares;
    Json shares = nullptr;
    if (q.outputs) {
        Json of = Json::array();
        for (std::size_t k = 0; k < query_error_stages.size(); ++k)
            of.push_back({{"stage", query_error_stages[k]}, {"square", number(q.square[k])}, {"cross", number(q.cross[k])}, {"largest", number(q.largest[k])}});
        shares = {{"whole", number(q.whole)}, {"outputs", q.outputs}, {"stages", of}};
    }
    return {{"stages", stages}, {"shares", shares}};
}

Json candidates(const Group& g) {
    Json out = Json::array();
    for (const auto& c : g.whole.candidates)
        out.push_back({{"contract", print(c.contract)}, {"fits", c.fits}, {"row", c.row}, {"col", c.col}, {"rows", c.rows}, {"outputs", c.outputs}});
    return out;
}

Json explanation(const Group& g) {
    Json equal = Json::array(), excluded = Json::array();
    for (const auto& n : g.names) equal.push_back(n);
    for (const auto& c : g.whole.candidates) {
        if (c.fits) {
            if (g.names.empty()) equal.push_back(print(c.contract));
        } else {
            excluded.push_back({{"contract", print(c.contract)}, {"row", c.row}, {"col", c.col}});
        }
    }
    for (const auto& x : g.excluded) excluded.push_back({{"fault", x.kind}, {"row", x.row}, {"col", x.col}, {"why", x.why}});
    Json j = {{"equal", equal}, {"excluded", excluded}, {"unknown", optional(g.unknown)}, {"tried", candidates(g)}};
    if (!g.names.empty()) j["names"] = g.names;
    if (!g.explained.empty()) j["text"] = g.explained;
    if (g.smallest) j["smallest"] = {{"text", g.smallest->text}, {"columns", g.smallest->columns}, {"case", optional(g.smallest->line)}};
    return j;
}

Json limits(const Group& g) {
    Json out = Json::array();
    for (const auto& l : g.limits)
        out.push_back({{"quantity", l.quantity},
                       {"limit", number(l.limit)},
                       {"measured", number(l.measured)},
                       {"over", l.over},
                       {"why", l.why},
                       {"where", l.where},
                       {"case", optional(l.line)},
                       {"note", optional(l.note)}});
    return out;
}

Json failure(const Failure& f) {
    return {{"verdict", name(f.verdict)},
            {"incoherent", f.incoherent},
            {"what", f.what},
            {"reason", optional(f.reason)},
            {"types", print(f.types)},
            {"witness", element(f.witness, f.types)},
            {"case", f.line},
            {"replay", f.replay}};
}

Json known(const Group& g) {
    if (!g.known) return nullptr;
    return {{"finding", g.known->finding}, {"why", g.known->why}, {"until", g.known->until},
            {"where", g.known->where},     {"changed", g.known->changed}};
}

Json group(const Group& g) {
    Json j;
    const Failure* first = g.failures.empty() ? nullptr : &g.failures.front();
    j["subject"] = g.subject;
    j["case"] = first ? Json(first->line) : Json(nullptr);
    j["op"] = g.op;
    j["type"] = name(g.type);
    j["d"] = g.d;
    j["rows"] = g.whole.measure.rows;
    j["cases"] = {{"run", g.cases},
                  {"passed", g.passed_cases},
                  {"failing", g.failing_cases},
                  {"refused", g.refused_cases},
                  {"unreadable", g.unreadable_cases},
                  {"other_tensors", g.other_tensors_cases}};
    j["claim"] = g.claim.empty() ? "" : print(g.claim);
    j["inferred"] = g.inferred;
    j["unexplained"] = g.unexplained;
    j["verdict"] = name(g.verdict);
    j["incoherent"] = first && first->incoherent;
    j["what"] = first ? Json(first->what) : Json(nullptr);
    j["reason"] = first ? optional(first->reason) : Json(nullptr);
    j["error"] = error(g);
    j["cells"] = cells(g);
    j["outside"] = g.whole.measure.outside;
    j["would_have_seen"] = sight(g.whole.sight);
    j["query"] = query(g.whole);
    j["witness"] = first ? element(first->witness, first->types) : Json(nullptr);
    j["explanation"] = explanation(g);
    j["fix"] = optional(g.fix);
    j["findings"] = g.findings;
    j["limits"] = limits(g);
    j["known"] = known(g);
    j["failures"] = Json::array();
    for (const auto& f : g.failures) j["failures"].push_back(failure(f));
    j["replay"] = first ? Json(first->replay) : Json(Json::array());
    j["seconds"] = number(g.seconds);
    return j;
}

Json stages(const StageTable& t) {
    Json lines = Json::array();
    for (const auto& l : t.lines) {
        Json sizes = Json::array();
        for (const auto& [octave, n] : l.by_size) sizes.push_back(Json::array({octave, n}));
        lines.push_back({{"stage", l.stage},
                         {"rms_ulp", number(l.rms_ulp)},
                         {"worst_ulp", number(l.worst_ulp)},
                         {"bias_ulp", number(l.bias_ulp)},
                         {"share", number(l.share)},
                         {"rms_ulp32", number(l.rms_ulp32)},
                         {"worst_ulp32", number(l.worst_ulp32)},
                         {"allowed_ulp", number(l.allowed_ulp)},
                         {"allowed_ulp32", number(l.allowed_ulp32)},
                         {"case", optional(l.line)},
                         {"col", l.col},
                         {"by_size", sizes}});
    }
    return {{"subject", t.subject},   {"op", t.op},
            {"type", name(t.type)},   {"d", t.d},
            {"contract", print(t.contract)}, {"model", optional(t.model)},
            {"how", t.how},           {"rows", t.rows},
            {"elements", t.elements}, {"skipped", t.skipped},
            {"rms_ulp", number(t.rms_ulp)},  {"worst_ulp", number(t.worst_ulp)},
            {"bias_ulp", number(t.bias_ulp)}, {"stages", lines}};
}

Json maximum(const Maximum& m) {
    return {{"subject", m.subject}, {"op", m.op}, {"type", name(m.type)}, {"d", m.d}, {"quantity", m.quantity}, {"value", number(m.value)},
            {"count", m.count}, {"inadmissible", m.inadmissible}, {"case", optional(m.line)}};
}

Json eps(const EpsTable& t) {
    Json rms = Json::array(), moves = Json::array();
    for (const auto& b : t.by_rms)
        rms.push_back({{"log2_rms", b.log2_rms == zero_row ? Json("zero") : Json(b.log2_rms)}, {"rows", b.rows}, {"share", number(b.share)}});
    for (const auto& m : t.moves)
        moves.push_back({{"eps", number(m.eps)},
                         {"all_below_rms", number(m.all_below)},
                         {"some_below_rms", number(m.some_below)},
                         {"one_below_rms", number(m.one_below)},
                         {"rows_all", m.rows_all},
                         {"rows_some", m.rows_some},
                         {"changed_rows", m.changed_rows},
                         {"changed_outputs", m.changed_outputs},
                         {"steps", m.worst_steps}});
    Json j = {{"op", t.op}, {"source", t.source}, {"type", name(t.type)}, {"d", t.d}, {"rows", t.rows}, {"elements", t.elements}, {"eps", number(t.eps)}};
    j["by_rms"] = rms;
    j["share"] = {{"median", number(t.share_median)}, {"worst", number(t.share_worst)}};
    j["moves"] = moves;
    j["recovered"] = t.subject.empty() ? Json(nullptr)
                                       : Json({{"subject", t.subject}, {"lo", number(t.recovered_lo)}, {"hi", number(t.recovered_hi)}, {"rows", t.recovered_rows}});
    j["warning"] = optional(t.warning);
    return j;
}

}  // namespace

std::string to_json(const Result& r) {
    Json j;
    j["schema"] = "ulpgate.run/1";
    j["context"] = context(r.context);
    j["subjects"] = Json::array();
    for (const auto& s : r.subjects)
        j["subjects"].push_back({{"subject", s.text}, {"name", s.name}, {"version", optional(s.version)}, {"fp_mode", optional(s.mode)}});
    j["results"] = Json::array();
    for (const auto& g : r.groups) j["results"].push_back(group(g));
    if (!r.stages.empty()) {
        j["stages"] = Json::array();
        for (const auto& t : r.stages) j["stages"].push_back(stages(t));
    }
    if (!r.eps.empty()) {
        j["eps"] = Json::array();
        for (const auto& t : r.eps) j["eps"].push_back(eps(t));
    }
    if (!r.maxima.empty()) {
        j["maxima"] = Json::array();
        for (const auto& m : r.maxima) j["maxima"].push_back(maximum(m));
    }
    j["skipped"] = Json::array();
    for (const auto& s : r.skipped) j["skipped"].push_back({{"subject", s.subject}, {"reason", s.reason}, {"required", s.required}});
    j["not_loaded"] = Json::array();
    for (const auto& s : r.not_loaded) j["not_loaded"].push_back({{"subject", s.subject}, {"reason", s.reason}});
    j["notes"] = r.notes;
    j["totals"] = Json::object();
    for (const auto& [what, n] : totals(r)) j["totals"][what] = n;
    j["seconds"] = number(r.seconds);
    j["claim_missing"] = r.claim_missing;
    j["complete"] = r.complete;
    j["exit"] = r.exit;
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpgate
