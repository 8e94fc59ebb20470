#include "reports/cli/gate_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "properties/profiles/profile.hpp"
#include "properties/query_profiles/query_profile.hpp"
#include "reference/query_faults/query_fault.hpp"
#include "reference/base/file.hpp"
#include "reference/base/text.hpp"
#include "reference/faults/subject_text.hpp"

namespace ulpgate::cli {
namespace {

const std::vector<std::string>& type_names() {
    static const std::vector<std::string> names{"bf16", "fp16", "f32"};
    return names;
}

std::vector<std::string> checked(const Arguments& a, std::string_view flag, const std::vector<std::string>& known) {
    const auto given = a.list(flag);
    for (const auto& v : given)
        if (std::find(known.begin(), known.end(), v) == known.end())
            throw UsageError(fmt::format("{}: no {} '{}'{}; see ulpgate list {}s", a.where(flag), flag, v, did_you_mean(v, known), flag));
    return given;
}

std::vector<std::int64_t> sizes(const Arguments& a) {
    std::vector<std::int64_t> out;
    for (const auto& text : a.list("d")) {
        std::int64_t d = 0;
        if (!parse_integer(text, d) || d < 1 || d > 65536)
            throw UsageError(fmt::format("{}: '{}' is not a width: a whole number from 1 to 65536", a.where("d"), text));
        out.push_back(d);
    }
    return out;
}

void check_contracts(const Arguments& a) {
    for (const auto& text : a.list("contract")) {
        Claim c;
        if (!parse(text, c) && !claims_nothing(c)) continue;
        const auto bad = parse("bf16," + text, c);
        if (!bad) continue;
        ParseError e = *parse(text, c);
        throw UsageError(fmt::format("{}: '{}', column {}: {}", a.where("contract"), text, e.at + 1, e.what));
    }
}

// @FILE: a case, or a subject and a case, a line; # begins a comment.
void add_lines(const std::string& path, const std::vector<std::string>& subjects, std::vector<Wanted>& out) {
    std::string content;
    if (auto e = read_file(path, content); !e.empty()) throw UsageError(e);
    const auto add = [&](const std::string& subject, const Case& c) {
        auto it = std::find_if(out.begin(), out.end(), [&](const Wanted& w) { return w.subject == subject; });
        if (it == out.end()) it = out.insert(out.end(), {subject, {}});
        it->lines.push_back(c);
    };
    int number = 0;
    for (auto line : split(content, '\n')) {
        ++number;
        line = line.substr(0, line.find('#'));
        std::vector<std::string> words;
        for (auto w : split(line, ' ')) {
            while (!w.empty() && (w.back() == '\r' || w.back() == '\t')) w.remove_suffix(1);
            if (!w.empty()) words.emplace_back(w);
        }
        if (words.empty()) continue;
        if (words.size() > 2) throw UsageError(fmt::format("{}:{}: '{}' is too much: a case, or a subject and a case, a line", path, number, words[2]));
        Case c;
        if (auto bad = parse(words.back(), c)) throw UsageError(fmt::format("{}:{}: case, column {}: {}", path, number, bad->at + 1, bad->what));
        if (words.size() == 2) check_subject(words[0]);
        if (words.size() == 2) add(words[0], c);
        else
            for (const auto& s : subjects) add(s, c);
    }
    if (number == 0 || out.empty()) throw UsageError(fmt::format("{}: holds no case", path));
}

}  // namespace

std::string launched(const Arguments& a, const std::string& subject) {
    const auto launch = a.text("launch");
    if (!subject.ends_with(".ptx") || launch.empty()) return subject;
    if (!launch.ends_with(".toml")) throw UsageError(fmt::format("{}: '{}' is no launch description: its name ends in .toml", a.where("launch"), launch));
    return launch;
}

std::string one_of(const Arguments& a, std::string_view flag, const std::vector<std::string>& allowed) {
    const auto v = a.text(flag, allowed[0]);
    if (std::find(allowed.begin(), allowed.end(), v) == allowed.end()) {
        std::string list;
        for (const auto& k : allowed) list += (list.empty() ? "" : ", ") + k;
        throw UsageError(fmt::format("{}: '{}' is none of {}", a.where(flag), v, list));
    }
    return v;
}

SubjectOptions subject_options(const Arguments& a) {
    SubjectOptions o;
    o.home = a.home;
    o.cpu_seconds = a.number("timeout", o.cpu_seconds, 0.01, 86400);
    for (const auto& kv : a.list("child-env")) {
        const auto eq = kv.find('=');
        if (eq == kv.npos || eq == 0) throw UsageError(fmt::format("{}: '{}' is not K=V", a.where("child-env"), kv));
        o.child_env.emplace_back(kv.substr(0, eq), kv.substr(eq + 1));
    }
    return o;
}

void check_subject(const std::string& text) {
    if (!text.starts_with("model/") && !text.starts_with("faulty/")) return;
    if (const auto query = parse_query_subject(text)) {
        if (query->error) throw UsageError(fmt::format("subject '{}', column {}: {}", text, query->error->at + 1, query->error->what));
        return;
    }
    SubjectModels models;
    if (const auto bad = parse_subject(text, models)) throw UsageError(fmt::format("subject '{}', column {}: {}", text, bad->at + 1, bad->what));
}

unsigned machine_cores() { return std::max(1u, std::thread::hardware_concurrency()); }

CaseFilter case_filter(const Arguments& a) {
    CaseFilter f;
    f.ops = checked(a, "op", names_of(ops::all()));
    f.types = checked(a, "type", type_names());
    auto profiles = names_of(profiles::all());
    for (auto& p : names_of(query_profiles::all())) profiles.push_back(std::move(p));
    profiles.emplace_back("activations");
    f.profiles = checked(a, "profile", profiles);
    f.d = sizes(a);
    f.seed = a.word("seed", default_seed);
    f.rows = a.integer("rows", 0, 1, 1 << 20);
    f.quick = a.has("quick");
    f.probes = !a.has("no-probes");
    f.activations = a.text("activations");
    return f;
}

RunRequest gate_request(const Arguments& a) {
    RunRequest r;
    r.options = subject_options(a);
    r.filter = case_filter(a);
    r.require_claim = a.has("require-claim");
    r.explain = !a.has("no-explain");
    check_contracts(a);
    r.contracts = a.list("contract");
    r.jobs = static_cast<unsigned>(a.integer("jobs", machine_cores(), 1, 1024));

    std::vector<std::string> given;
    for (const auto& o : a.operands)
        if (!o.starts_with("@")) given.push_back(launched(a, o));
    for (const auto& s : given) check_subject(s);
    const bool named = !given.empty();
    if (!named) given = built_in_subjects(a.home);
    // The same kernels on a GPU: judged where there is one, said to be skipped where not.
    const auto among = [&](const char* s) { return std::find(given.begin(), given.end(), s) != given.end(); };
    if (named && among("ptx") && !among("cuda") && a.list("arch").empty()) given.emplace_back("cuda");
    std::vector<std::string> subjects, required = a.required;
    for (const auto& s : given) {
        const auto members = members_of(s, a.home, a.list("arch"));
        subjects.insert(subjects.end(), members.begin(), members.end());
        if (std::erase(required, s)) required.insert(required.end(), members.begin(), members.end());
    }
    bool lines = false;
    for (const auto& o : a.operands) {
        if (!o.starts_with("@")) continue;
        add_lines(o.substr(1), subjects, r.subjects);
        lines = true;
    }
    if (!lines)
        for (const auto& s : subjects) {
            if (std::none_of(r.subjects.begin(), r.subjects.end(), [&](const Wanted& w) { return w.subject == s; })) r.subjects.push_back({s, {}});
        }
    for (const auto& s : required) {  // a run of named subjects owes nothing to the others
        const bool in = std::any_of(r.subjects.begin(), r.subjects.end(), [&](const Wanted& w) { return w.subject == s; });
        if (in || (!named && !lines)) r.required.push_back(s);
    }
    return r;
}

}  // namespace ulpgate::cli
