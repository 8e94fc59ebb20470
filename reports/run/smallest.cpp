#include "reports/run/smallest.hpp"

#include <algorithm>

#include "properties/cases/case.hpp"
#include "properties/reduce/outside.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate {

std::optional<Reduced> smallest_failure(const Group& g, const SubjectOptions& options, std::int64_t most_calls) {
    const auto failure = std::find_if(g.failures.begin(), g.failures.end(), [](const Failure& f) { return f.verdict == Verdict::inadmissible; });
    const Op& op = *find_op(g.op);
    Case c;
    if (failure == g.failures.end() || op.abi != Abi::rmsnorm || parse(failure->line, c)) return {};
    if (c.row < 0 || g.claim[0].residual != Residual::none || claims_nothing(g.claim)) return {};
    const auto made = make(c);
    if (!made.error.empty()) return {};
    const auto& x = *made.tensors.find("x");
    std::vector<float> row(static_cast<std::size_t>(x.width())), w;
    x.read_row(c.row, row);
    if (const auto* gain = made.tensors.find("w")) gain->read_row(0, w = std::vector<float>(row.size()));
    const auto subject = open_subject(g.subject, options);
    if (subject->start().event != Event::ok) return {};
    const auto entry = entry_for(subject->entries(), op.abi, g.claim);
    if (!entry) return {};
    Case like = c;
    like.claim = g.claim;
    OutsideClaim fails{[&](const Tensors& t) { return subject->run(*entry, t); }, op, g.claim, c.d, c.eps};
    auto smallest = reduce(like, std::move(row), std::move(w), std::ref(fails), {most_calls});
    if (!smallest.failed) return {};
    return smallest;
}

}  // namespace ulpgate
