#include "reports/diff/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/console/console.hpp"
#include "reports/console/style.hpp"
#include "reports/explain/arithmetic.hpp"
#include "reports/json/json.hpp"

namespace ulpgate {
namespace {

using Json = nlohmann::json;

struct Seen {  // one result, from either schema
    std::string subject, op, type, claim, verdict;
    std::string computes, order;  // words; "" where not said
    double ulp = NAN, r = NAN;
    std::vector<std::string> over;       // limits that are
    std::map<std::string, bool> held;    // relations
};

struct Run {
    std::string error;
    std::vector<Seen> all;
    bool complete = true;
};

std::string formula_of(const std::string& contract) {
    Claim c;
    if (parse(contract, c)) return contract;
    return c[0].map == Map::none ? contract : fmt::format("{} ({})", formula(c[0]), print(c[0], false));
}

// "T(w·T(x·r)) (cast_first)" and the faults that were named
std::string computed(const std::vector<std::string>& names, const std::vector<std::string>& contracts) {
    if (!names.empty()) return fmt::format("{}", fmt::join(names, " or "));
    std::vector<std::string> words;
    for (const auto& c : contracts) words.push_back(formula_of(c));
    return fmt::format("{}", fmt::join(words, " or "));
}

Run from_gate(std::string_view text, const std::string& name) {
    Run out;
    auto read = parse_run(text, name);
    if (!read.error.empty()) return {read.error, {}, true};
    out.complete = read.result.complete;
    for (const auto& g : read.result.groups) {
        Seen s{g.subject, g.op, std::string(ulpgate::name(g.type)), g.inferred ? "nothing" : print(g.claim), std::string(ulpgate::name(g.verdict)), "", "", g.whole.measure.worst_ulp,
               g.whole.measure.worst_r_ulp32, {}, {}};
        std::vector<std::string> contracts;
        if (!fails(g.verdict) || g.verdict == Verdict::over) contracts = {print(g.claim)};
        else
            for (const auto& c : computes(g)) contracts.push_back(print(c));
        s.computes = computed(g.names, contracts);
        for (const auto& l : g.limits)
            if (l.over) s.over.push_back(fmt::format("{} {} above {}", l.quantity, short_number(l.measured), short_number(l.limit)));
        out.all.push_back(std::move(s));
    }
    return out;
}

double number_of(const Json& j) {
    if (j.is_number()) return j.get<double>();
    const auto s = j.get<std::string>();
    return s == "nan" ? NAN : s == "inf" ? INFINITY : std::stod(s);
}

Run from_explain(const Json& j, const std::string& name) {
    Run out;
    std::size_t at = 0;
    try {
        out.complete = j.at("complete").get<bool>();
        for (const auto& r : j.at("results")) {
            const auto text = [&](const char* key) { return r.at(key).get<std::string>(); };
            Seen s{text("subject"), text("op"), text("type"), r.at("inferred").get<bool>() ? "nothing" : text("claim"), text("verdict"), "", "", number_of(r.at("worst_ulp")),
                   number_of(r.at("r_ulp32")), {}, {}};
            s.computes = computed(r.at("names").get<std::vector<std::string>>(), r.at("contracts").get<std::vector<std::string>>());
            const auto models = r.at("order").at("models").get<std::vector<std::string>>();
            s.order = models.empty() ? r.at("order").at("words").get<std::string>() : "model/" + models.front();
            for (const auto& b : r.at("behaviour")) s.held[b.at("relation").get<std::string>()] = b.at("held").get<bool>();
            out.all.push_back(std::move(s));
            ++at;
        }
    } catch (const std::exception& e) {
        out.error = fmt::format("{}: results[{}]: {}: write it again with ulpgate explain --json", name, at, e.what());
    }
    return out;
}

Run read(std::string_view text, const std::string& name) {
    const Json j = Json::parse(text, nullptr, false);
    if (j.is_discarded()) return {fmt::format("{}: not JSON, or cut short: write it again with ulpgate gate --json or explain --json", name), {}, true};
    const auto schema = j.is_object() && j.contains("schema") && j["schema"].is_string() ? j["schema"].get<std::string>() : "";
    if (schema == run_schema) return from_gate(text, name);
    if (schema == explain_schema) return from_explain(j, name);
    return {fmt::format("{}: schema '{}' is none that this program reads: {}, {}", name, schema, run_schema, explain_schema), {}, true};
}

// How bad: passing below over below the rest.
int rank(const std::string& verdict) {
    static constexpr std::string_view by_gravity[] = {"pass", "skipped", "refused", "unsupported", "mistrusted", "over", "inadmissible", "unstable", "corrupted", "hung", "crashed"};
    const auto it = std::find(std::begin(by_gravity), std::end(by_gravity), verdict);
    return static_cast<int>(it - std::begin(by_gravity));
}

class Comparison {
  public:
    Comparison(const Seen& a, const Seen& b, const std::string& was, const std::string& is) : was_(was), is_(is) {
        if (a.verdict != b.verdict) say(rank(b.verdict) > rank(a.verdict) ? Change::Kind::worse : Change::Kind::better, fmt::format("verdict: {} was {}, {} is {}", was_, a.verdict, is_, b.verdict));
        if (a.claim != b.claim) say(Change::Kind::other, fmt::format("claim: {} claimed {}, {} claims {}", was_, a.claim, is_, b.claim));
        if (a.computes != b.computes) say(Change::Kind::other, fmt::format("{} computed {}, {} computes {}", was_, shown(a.computes), is_, shown(b.computes)));
        if (a.order != b.order) say(Change::Kind::other, fmt::format("order: {} had {}, {} has {}", was_, shown(a.order), is_, shown(b.order)));
        numbers("worst ulp", a.ulp, b.ulp);
        numbers("r ulp32", a.r, b.r);
        if (a.over != b.over) say(b.over.size() > a.over.size() ? Change::Kind::worse : Change::Kind::other, fmt::format("budget: {}, now {}", limits(a.over), limits(b.over)));
        for (const auto& [relation, held] : b.held)
            if (const auto it = a.held.find(relation); it != a.held.end() && it->second != held)
                say(held ? Change::Kind::better : Change::Kind::worse, fmt::format("{}: the same bits {}", relation, held ? "now, not before" : "before, not now"));
    }
    Change change;

  private:
    static std::string shown(const std::string& s) { return s.empty() ? "nothing known" : s; }
    static std::string limits(const std::vector<std::string>& v) { return v.empty() ? "within" : fmt::format("{}", fmt::join(v, ", ")); }
    void say(Change::Kind k, std::string words) {
        change.kind = std::max(change.kind, k);
        change.words.push_back(std::move(words));
    }
    void numbers(const char* what, double a, double b) {
        if (a == b || (std::isnan(a) && std::isnan(b))) return;
        const bool worse = b > a || std::isnan(b);
        say(worse ? Change::Kind::worse : Change::Kind::better, fmt::format("{} {} to {}", what, short_number(a), short_number(b)));
    }
    const std::string &was_, &is_;
};

// A result that changed its claim is still the same result: claims are matched first, then what is left in order.
std::vector<std::pair<const Seen*, const Seen*>> matched(const Run& a, const Run& b) {
    std::vector<std::pair<const Seen*, const Seen*>> out;
    std::set<const Seen*> used;
    for (const auto& x : a.all) out.emplace_back(&x, nullptr);
    for (const bool claims : {true, false})
        for (auto& [x, y] : out)
            for (const auto& c : b.all) {
                if (y || used.count(&c) || x->op != c.op || x->type != c.type) continue;
                const bool same = claims ? x->claim == c.claim && x->subject == c.subject : x->subject == c.subject || a.all.size() == b.all.size();
                if (same) y = &c, used.insert(&c);
            }
    for (const auto& c : b.all)
        if (!used.count(&c)) out.emplace_back(nullptr, &c);
    return out;
}

}  // namespace

Diff diff_runs(std::string_view before, const std::string& before_name, std::string_view after, const std::string& after_name) {
    Diff out;
    const Run a = read(before, before_name), b = read(after, after_name);
    out.error = !a.error.empty() ? a.error : b.error;
    if (!out.error.empty()) return out;
    for (const auto& [x, y] : matched(a, b)) {
        const Seen& any = y ? *y : *x;
        Change c;
        if (x && y) c = Comparison(*x, *y, before_name, after_name).change;
        else if (x) c = {Change::Kind::worse, "", {fmt::format("not in {}: {} before", after_name, x->verdict)}};
        else c = {rank(y->verdict) > 4 ? Change::Kind::worse : Change::Kind::other, "", {fmt::format("only in {}: {}", after_name, y->verdict)}};
        c.result = fmt::format("{} {} {} {}", any.subject, any.op, any.type, any.claim);
        out.worse |= c.kind == Change::Kind::worse;
        out.changes.push_back(std::move(c));
    }
    if (a.complete && !b.complete) {
        out.worse = true;
        out.changes.push_back({Change::Kind::worse, after_name, {"was interrupted: not all of it ran"}});
    }
    return out;
}

std::string diff_text(const Diff& d, const std::string& before_name, const std::string& after_name) {
    std::string s;
    std::size_t same = 0, worse = 0, better = 0;
    for (const auto& c : d.changes) {
        same += c.kind == Change::Kind::same;
        worse += c.kind == Change::Kind::worse;
        better += c.kind == Change::Kind::better;
        if (c.kind == Change::Kind::same) continue;
        s += fmt::format("{}{}\n", c.result, c.kind == Change::Kind::worse ? ": WORSE" : c.kind == Change::Kind::better ? ": better" : ": changed");
        for (const auto& w : c.words) s += fmt::format("  {}\n", w);
    }
    return s + fmt::format("{} to {}: {} worse, {} better, {} changed, {} the same\n", before_name, after_name, worse, better, d.changes.size() - same - worse - better, same);
}

}  // namespace ulpgate
