// Any text as each file of JSON that may come from elsewhere: a run (gate --json), two of them compared, a manifest of exported
// cases, a shard of every word, a campaign's state. An error that begins with the file's name, or something that writes the same
// again and that every page can show.
#include "fuzz/campaign/state.hpp"
#include "fuzz/check/check.hpp"
#include "fuzz/exhaustive/exhaustive.hpp"
#include "impls/subject/manifest.hpp"
#include "reports/annotations/annotations.hpp"
#include "reports/console/console.hpp"
#include "reports/diff/diff.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/junit/junit.hpp"
#include "reports/markdown/markdown.hpp"
#include "reports/sarif/sarif.hpp"

using namespace ulpgate;
using fuzzing::check;

static void run(std::string_view text) {
    const ReadRun r = parse_run(text, "r.json");
    if (!r.error.empty()) {
        check(r.error.starts_with("r.json"), "an error without its file: {}", r.error);
        return;
    }
    const std::string once = to_json(r.result);
    const ReadRun again = parse_run(once, "again.json");
    check(again.error.empty(), "what was written is not read: {}", again.error);
    check(to_json(again.result) == once, "what is read is not what was written");
    exit_of(r.result);
    for (const auto& page : {to_html(r.result), to_junit(r.result), to_markdown(r.result), to_sarif(r.result), result_text(r.result, {})})
        check(!page.empty(), "an empty page");
    to_github(r.result);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    run(text);
    const Diff d = diff_runs(text, "a.json", text, "b.json");
    if (d.error.empty()) {
        check(!d.worse, "a run that is worse than itself");
        diff_text(d, "a.json", "b.json");
    } else {
        check(d.error.starts_with("a.json") || d.error.starts_with("b.json"), "an error without its file: {}", d.error);
    }
    const Manifest m = parse_manifest(text, "m.json");
    check(m.error.empty() || (m.error.starts_with("m.json") && m.cases.empty()), "an error without its file: {}", m.error);
    fuzzing::ExhaustiveRun e;
    if (const auto bad = fuzzing::parse_exhaustive(text, "e.json", e); bad.empty()) fuzzing::text_of(e);
    else check(bad.starts_with("e.json"), "an error without its file: {}", bad);
    fuzzing::State s;
    if (const auto bad = fuzzing::parse_state(text, "s.json", s); !bad.empty()) check(bad.starts_with("s.json"), "an error without its file: {}", bad);
    return 0;
}
