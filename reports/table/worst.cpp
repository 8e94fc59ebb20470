#include "reports/table/worst.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/exact/sum.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/model/model.hpp"
#include "reference/restated/restated.hpp"
#include "reports/budget/budget.hpp"
#include "reports/run/replay.hpp"
#include "reports/stages/predict.hpp"
#include "reports/table/instrument.hpp"

namespace ulpgate {

double r_error_ulp32(const Model& m, std::span<const float> x, double eps) {
    const auto seen = x.first(m.statistic_width(x.size()));
    const auto s = sum_of_squares(seen);
    const double exact = 1 / std::sqrt((s.hi + s.lo) / static_cast<double>(seen.size()) + eps);
    const auto scalar = static_cast<double>(m.from_sum(m.sum_of(x), x, eps));
    return std::fabs(scalar - exact) / ulp_at(Type::f32, exact);
}

std::string restated_text(const std::string& subject, Contract c, std::int64_t d) {
    const auto* r = find_restatement(subject.substr(0, subject.find('@')));
    if (!r) return "";
    Claim own;
    if (!parse(r->contract, own)) c.mean = own[0].mean;
    return model_text(*r, c, d);
}

WorstBounds worst_bounds(const WorstRow& w) {
    const Contract& c = w.witness.claim[0];
    Model m;
    if (parse(restated_text(w.subject, c, w.witness.d), m)) return {INFINITY, r_ulp32_bound(c, w.witness.d)};
    return {r_ulp32_bound(m.contract, w.witness.d), r_ulp32_bound(c, w.witness.d)};
}

Rerun rerun(const WorstRow& w, const SubjectOptions& options) {
    const auto differs = [](std::string what) { return Rerun{Rerun::How::differs, std::move(what)}; };
    Model m;
    const auto text = restated_text(w.subject, w.witness.claim[0], w.witness.d);
    if (text.empty()) return differs("no restatement of this kernel is known");
    if (const auto bad = parse(text, m)) return differs(fmt::format("model/{}, column {}: {}", text, bad->at + 1, bad->what));
    const auto made = make(w.witness);
    if (!made.error.empty()) return differs(made.error);
    const Tensor* x = made.tensors.find("x");
    std::vector<float> row(static_cast<std::size_t>(x->width()));
    x->read_row(0, row);
    if (const double found = r_error_ulp32(m, row, w.witness.eps); std::fabs(found - w.r_ulp32) > 0.0006)
        return differs(fmt::format("r is off by {:.3f} ulp32, the table says {:.3f}", found, w.r_ulp32));
    if (!(w.r_ulp32 <= worst_bounds(w).order)) return differs("the error is above what is proven");
    const auto r = replay(w.subject, w.witness, options);
    if (r.how == Replayed::How::unavailable) return {Rerun::How::skipped, r.what};
    if (r.how != Replayed::How::judged) return differs(r.what);
    if (r.judgement.verdict != Verdict::pass) return differs(fmt::format("the kernel is {}: {}", name(r.judgement.verdict), r.judgement.what));
    if (!predicts(m, {{&r.made.tensors, &r.outcome}})) return differs("the kernel's outputs are not its restatement's");
    return {Rerun::How::same, ""};
}

}  // namespace ulpgate
