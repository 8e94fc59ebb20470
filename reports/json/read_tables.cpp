#include "reports/json/in.hpp"

namespace ulpgate::json {

StageTable stages(const In& j) {
    StageTable t;
    t.subject = j["subject"].text();
    t.op = j["op"].text();
    t.type = j["type"].type();
    t.d = j["d"].integer();
    t.contract = j["contract"].contract();
    t.model = j["model"].text_or_nothing();
    t.how = j["how"].text();
    t.rows = j["rows"].integer();
    t.elements = j["elements"].integer();
    t.skipped = j["skipped"].integer();
    t.rms_ulp = j["rms_ulp"].number();
    t.worst_ulp = j["worst_ulp"].number();
    t.bias_ulp = j["bias_ulp"].number();
    for (const auto& l : j["stages"].list()) {
        t.lines.push_back({l["stage"].text(), l["rms_ulp"].number(), l["worst_ulp"].number(), l["bias_ulp"].number(), l["share"].number(), l["rms_ulp32"].number(),
                           l["worst_ulp32"].number(), l["allowed_ulp"].number(), l["allowed_ulp32"].number(), l["case"].text_or_nothing(), l["col"].integer()});
        if (!l.has("by_size")) continue;
        for (const auto& pair : l["by_size"].list()) {
            const auto p = pair.integers();
            if (p.size() != 2) pair.fail("[octave, elements] is needed");
            t.lines.back().by_size[static_cast<int>(p[0])] = p[1];
        }
    }
    return t;
}

EpsTable eps(const In& j) {
    EpsTable t;
    t.op = j["op"].text();
    t.source = j["source"].text();
    t.type = j["type"].type();
    t.d = j["d"].integer();
    t.rows = j["rows"].integer();
    t.elements = j["elements"].integer();
    t.eps = j["eps"].number();
    for (const auto& b : j["by_rms"].list()) t.by_rms.push_back({b["log2_rms"].octave(), b["rows"].integer(), b["share"].number()});
    t.share_median = j["share"]["median"].number();
    t.share_worst = j["share"]["worst"].number();
    for (const auto& m : j["moves"].list())
        t.moves.push_back({m["eps"].number(), m["all_below_rms"].number(), m["some_below_rms"].number(), m["one_below_rms"].number(), m["rows_all"].integer(),
                           m["rows_some"].integer(), m["changed_rows"].integer(), m["changed_outputs"].integer(), m["steps"].integer()});
    if (j.has("recovered")) {
        const In k = j["recovered"];
        t.subject = k["subject"].text();
        t.recovered_lo = k["lo"].number();
        t.recovered_hi = k["hi"].number();
        t.recovered_rows = k["rows"].integer();
    }
    t.warning = j["warning"].text_or_nothing();
    return t;
}

Maximum maximum(const In& j) {
    return {j["subject"].text(), j["op"].text(), j["type"].type(), j["d"].integer(), j["quantity"].text(), j["value"].number(), j["count"].text(), j["inadmissible"].integer(),
            j["case"].text_or_nothing()};
}

}  // namespace ulpgate::json
