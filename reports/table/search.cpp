#include <fmt/format.h>

#include <map>

#include "fuzz/search/search.hpp"
#include "reference/ops/op.hpp"
#include "reports/run/plan.hpp"
#include "reports/table/instrument.hpp"
#include "reports/table/worst.hpp"

namespace ulpgate {
namespace {

struct Found {
    Case c;
    std::int64_t cases = 0;
};

// The restatement with float32 outputs rounded once: they show r.
Contract showing(Type x) {
    auto c = default_contract(x, Map::f32_gain);
    c.w = c.y = Type::f32;
    c.assoc = Assoc::xr_w;
    return c;
}

std::string climb(const std::string& model, std::int64_t d, std::int64_t cases, std::uint64_t seed, const SubjectOptions& options, Found& out) {
    fuzzing::SearchOptions o;
    o.subject = "model/" + model;
    o.subject_options = options;
    o.d = d;
    o.count = cases;
    o.seed = seed;
    fuzzing::SearchWatcher quiet;
    const auto r = fuzzing::search(o, quiet);
    if (r.how != fuzzing::SearchResult::How::ran || r.entries.empty()) return fmt::format("{}: {}", o.subject, r.what);
    out.cases = r.entries[0].cases;
    if (const auto bad = parse(r.entries[0].line, out.c)) return fmt::format("{}: {}", r.entries[0].line, bad->what);
    return "";
}

}  // namespace

WorstTable search_worst(const std::vector<std::string>& subjects, std::int64_t cases, std::uint64_t seed, const SubjectOptions& options,
                        const std::function<void(std::string_view)>& progress) {
    WorstTable out;
    std::map<std::string, Found> found;  // kernels that restate alike share a search
    for (const auto& text : subjects) {
        auto subject = open_subject(text, options);
        if (subject->start().event != Event::ok) continue;
        for (const Op* op : ops::all()) {
            Sizes n;
            op->defaults(n);
            for (const Type type : {Type::bf16, Type::fp16, Type::f32}) {
                if (op->abi != Abi::rmsnorm) continue;
                const auto entry = entry_for(subject->entries(), op->abi, {default_contract(type, Map::cast_first)});
                const auto model = restated_text(text, showing(type), n[op->d]);
                if (!entry || model.empty()) continue;
                progress(fmt::format("{} {} {}", text, op->name, name(type)));
                const auto key = fmt::format("{} {}", n[op->d], model);
                if (!found.contains(key))
                    if (out.error = climb(model, n[op->d], cases, seed, options, found[key]); !out.error.empty()) return out;
                WorstRow w{text, found[key].c, 0, fmt::format("searched {}", found[key].cases)};
                w.witness.op = op->name;
                if (parse(subject->entries()[*entry].contract, w.witness.claim)) continue;
                w.witness.h = 0;
                const auto made = make(w.witness);
                if (!made.error.empty()) return {made.error, {}};
                w.witness.h = made.tensors.hash();
                Model m;
                if (parse(restated_text(text, w.witness.claim[0], w.witness.d), m)) continue;
                std::vector<float> x(static_cast<std::size_t>(w.witness.d));
                made.tensors.find("x")->read_row(0, x);
                w.r_ulp32 = r_error_ulp32(m, x, w.witness.eps);
                out.rows.push_back(std::move(w));
            }
        }
    }
    return out;
}

}  // namespace ulpgate
