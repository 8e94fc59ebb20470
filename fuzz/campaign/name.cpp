#include "fuzz/campaign/name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fuzz/minimise/minimise.hpp"
#include "properties/explain/explain.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate::fuzzing {
namespace {

// What two failures of one cause say alike: numbers and addresses left out.
std::string without_numbers(std::string_view text) {
    std::string s;
    for (const char c : text.substr(0, text.find(';')))
        if (!std::isxdigit(static_cast<unsigned char>(c)) || std::isalpha(static_cast<unsigned char>(c))) s += c;
    return s;
}

std::unique_ptr<Subject> started(const std::string& text, const SubjectOptions& options) {
    auto s = open_subject(text, options);
    if (const Outcome o = s->start(); o.event != Event::ok) throw std::runtime_error(fmt::format("{} did not load again: {}", text, o.what));
    return s;
}

// A right kernel would be mistrusted on it.
bool eps_alone(const Judgement& j) { return j.measure.rows > 0 && j.measure.eps_dominated_rows == j.measure.rows; }

bool memory(std::string_view kind) { return kind == "corrupted" || kind == "crashed" || kind == "hung" || kind == "unstable"; }

}  // namespace

Namer::Seen Namer::look(std::size_t entry, const Case& c, Subject& subject) const {
    Seen s;
    s.made = make(c);
    if (!s.made.error.empty()) return s;
    const SpaceEntry& e = space_.entries[entry];
    s.outcome = subject.run(e.index, s.made.tensors);
    s.judgement = judge(s.made.tensors, s.outcome, e.claim);
    s.kind = kind_of(s.judgement, s.made.tensors.contract);
    return s;
}

// Ordinary cases of the same width, which a name must give too.
std::vector<Case> Namer::company(std::size_t entry, const Case& c, std::int64_t number) const {
    std::vector<Case> out;
    const SpaceEntry& e = space_.entries[entry];
    Rng r(seed_, 0xc0de, static_cast<std::uint64_t>(number));
    const std::int64_t rows = std::clamp<std::int64_t>(space_.elements / c.d, 1, 8);
    for (const Profile* p : profiles::all()) {
        if (p->probe && !space_.probes) continue;
        Case k;
        k.op = c.op;
        k.claim = e.claim;
        k.d = c.d;
        k.profile = p->name;
        k.tokens = rows;
        k.seed = r.next() >> 32;
        out.push_back(std::move(k));
    }
    return out;
}

void Namer::diagnose(std::size_t entry, const Case& c, const Seen& first, Finding& f) {
    if (memory(f.kind)) {
        f.diagnosis = f.kind + ": " + without_numbers(first.judgement.what);
        return;
    }
    auto subject = started(subject_, options_);
    std::vector<Seen> all;
    all.push_back(first);
    for (const Case& k : company(entry, c, f.at)) {
        Seen s = look(entry, k, *subject);
        if (s.made.error.empty() && s.outcome.event == Event::ok) all.push_back(std::move(s));
    }
    Judgement whole = first.judgement;
    for (std::size_t k = 1; k < all.size(); ++k) merge(whole, all[k].judgement);
    const Claim& claim = space_.entries[entry].claim;
    if (const auto fits = explaining(whole); !fits.empty()) {
        Contract k = fits[0];
        k.assoc = Assoc::any;  // which of the associations are left depends on the rows, not on the cause
        f.diagnosis = print(k, false);
        for (const auto& l : explanations(whole)) f.lines.push_back("it computes " + l);
        return;
    }
    std::vector<FailedCase> cases;
    for (const Seen& s : all) cases.push_back({&s.made.tensors, &s.outcome, s.judgement.witness.row});
    const Explanation e = explain(cases, claim, 16);
    for (const auto& n : e.equal) {
        f.diagnosis += (f.diagnosis.empty() ? "" : ", ") + n.kind;
        f.lines.push_back("it computes " + n.text());
    }
    if (!e.equal.empty()) {
        f.lines.push_back("fix  " + e.equal[0].fix);
        return;
    }
    f.diagnosis = f.kind + ", unknown";
    f.lines.push_back(e.unknown.empty() ? "unknown" : e.unknown);
}

bool Namer::fails(Finding& f) const {
    Case c;
    f.unclaimed = false;
    if (f.kind == "unstable" || parse(f.line, c)) return true;
    c.h = 0;
    c.row = -1;
    const auto entry = entry_of(space_, c.claim);
    if (f.unclaimed = !entry; f.unclaimed) return false;
    return !look(*entry, c, *started(subject_, options_)).kind.empty();
}

std::optional<Finding> Namer::name(std::size_t entry, const Case& c, const std::string& kind, std::int64_t number, std::vector<Finding>& known) {
    Finding f;
    f.kind = kind;
    f.at = number;
    f.found_as = print(c);
    auto subject = started(subject_, options_);
    Seen seen = look(entry, c, *subject);
    const bool repeats = !seen.kind.empty();
    if (!repeats) {
        f.kind = "unstable";
        f.diagnosis = fmt::format("unstable: {} once, not in a fresh process", kind);
        f.what = fmt::format("case {} was {}, and {} in a fresh process: it depends on earlier calls or on time", number, kind, ulpgate::name(seen.judgement.verdict));
        f.line = full_line(c, seen.made.tensors.hash(), -1);
    } else {
        f.kind = seen.kind;
        diagnose(entry, c, seen, f);
    }
    f.diagnosis = fmt::format("{} {}", print(c.claim), f.diagnosis);
    for (auto& k : known)
        if (k.diagnosis == f.diagnosis) {
            ++k.times;
            return std::nullopt;
        }
    if (!repeats) return f;
    const SpaceEntry& e = space_.entries[entry];
    // A hang takes its time limit at each try.
    const int tries = f.kind == "hung" ? 4 : tries_;
    // Not to a row that tells little of a kernel that is right, unless the one that failed is one.
    const std::int64_t row = seen.judgement.witness.row;
    const bool little = eps_alone(row < 0 ? seen.judgement : look(entry, written_out(c, seen.made.tensors, row), *subject).judgement);
    const auto small = minimise(c, row, e.d_min, e.d_divisor, tries, [&](const Case& k) {
        const Seen s = look(entry, k, *subject);
        if (s.kind != f.kind || (!little && eps_alone(s.judgement))) return false;
        return !memory(f.kind) || without_numbers(s.judgement.what) == without_numbers(seen.judgement.what);
    });
    auto fresh = started(subject_, options_);
    Seen last = look(entry, small.smallest, *fresh);
    const bool holds = last.kind == f.kind;  // else what was reduced depends on the calls before: the case as it was drawn
    const Seen& shown = holds ? last : seen;
    f.what = shown.judgement.what;
    f.reason = shown.judgement.reason;
    f.line = full_line(holds ? small.smallest : c, shown.made.tensors.hash(), shown.judgement.witness.row);
    return f;
}

}  // namespace ulpgate::fuzzing
