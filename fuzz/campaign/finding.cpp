#include "fuzz/campaign/finding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reference/base/sha1.hpp"

namespace ulpgate::fuzzing {

std::string_view kind_of(const Judgement& j, const Contract& types) {
    switch (j.verdict) {
    case Verdict::inadmissible: {
        const auto nan = [&](std::uint32_t word) { return std::isnan(decode(types.y, word)); };
        const bool seen = j.witness.row >= 0 && j.witness.col >= 0;
        if (seen && nan(j.witness.got) && !nan(j.witness.allowed_lo)) return "nan";
        return j.incoherent ? "incoherent" : "inadmissible";
    }
    case Verdict::corrupted: return "corrupted";
    case Verdict::unstable: return "unstable";
    case Verdict::crashed: return "crashed";
    case Verdict::hung: return "hung";
    default: return "";
    }
}

std::string Finding::file() const { return fmt::format("{}-{}", kind, sha1(line)); }

std::string full_line(Case c, std::uint64_t hash, std::int64_t row) {
    c.h = hash;
    c.row = row;
    return print(c);
}

namespace {

std::string provenance(const Finding& f) {
    std::string s;
    if (!f.what.empty()) s += fmt::format("# {}\n", f.what);
    if (!f.reason.empty()) s += fmt::format("# {}\n", f.reason);
    for (const auto& l : f.lines) s += fmt::format("# {}\n", l);
    return s;
}

}  // namespace

std::string text_of(const Finding& f, const std::string& subject, std::uint64_t seed) {
    return fmt::format("# {}\n{}# found by  ulpgate fuzz --seed {}: case {}, {} of those that were looked at show it\n# drawn as  {}\n{} {}\n",
                       f.kind, provenance(f), seed, f.at, f.times, f.found_as, subject, f.line);
}

std::string regression_text(const std::vector<Finding>& all, const std::vector<Finding>& mended, const std::string& subject) {
    std::string s = fmt::format("# Reduced cases that {} failed. Run them as a test:  ulpgate gate SUBJECT @THIS_FILE\n", subject);
    for (const auto& f : all) s += fmt::format("\n# {}: {}\n{}{}\n", f.kind, f.diagnosis, provenance(f), f.line);
    for (const auto& f : mended)
        s += fmt::format("\n# {}: {}, in an earlier build{}\n{}{}{}\n", f.kind, f.diagnosis, f.unclaimed ? "; no entry takes it in the last one" : "",
                         provenance(f), f.unclaimed ? "# " : "", f.line);
    return s;
}

}  // namespace ulpgate::fuzzing
