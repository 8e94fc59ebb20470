#include "reports/explain/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "reference/faults/fault.hpp"
#include "reports/console/console.hpp"
#include "reports/run/runner.hpp"
#include "reports/run/smallest.hpp"

namespace ulpgate {
namespace {

class Quiet final : public Watcher {
    void planned(const Context&, std::int64_t) override {}
    void done(std::string_view) override {}
};

bool probeable(const Contract& c) { return c.quant == Quant::none && c.beta == Given::none; }

// The contracts that the rows fit: the claim itself, else what was found.
std::vector<Contract> fitting(const Group& g) {
    if (!fails(g.verdict) && !claims_nothing(g.claim)) return g.claim;
    auto found = computes(g);
    if (found.empty()) found = explaining(g.whole);
    return found;
}

// A fault that was named, on the claim.
std::vector<Form> faulty_forms(const Group& g) {
    std::vector<Form> out;
    for (const auto& kind : g.names)
        for (const auto& base : forms_of(g.claim)) {
            Form f;
            f.text = base.text + ",fault=" + kind;
            if (!parse(f.text, f.model)) out.push_back(std::move(f));
        }
    return out;
}

std::vector<Form> wider_forms(const std::vector<Form>& forms) {
    std::vector<Form> out;
    for (const Form& f : forms)
        if (f.model.contract.acc == Accumulate::f64) {  // claimed
            out.push_back(f);
            Form w;
            w.text = f.text + ",mean_in=f64";
            if (!parse(w.text, w.model)) out.push_back(std::move(w));
        }
    for (const Form& f : forms)
        for (const char* how : {",sq=f64,acc=f64,mean_in=f64", ",sq=f64,acc=f64", ",acc=f64,mean_in=f64", ",acc=f64"}) {
            Form w;
            w.text = f.text + how;
            Model m;
            if (parse(w.text, m)) continue;
            w.model = m;
            out.push_back(std::move(w));
        }
    return out;
}

class Explainer {
  public:
    Explainer(const RunRequest& r, const ExplainOptions& o, Arithmetic& a) : request_(r), options_(o), a_(a) {}

    void run() {
        const Group& g = a_.group;
        a_.contracts = fitting(g);
        const Op* op = find_op(g.op);
        auto subject = open_subject(g.subject, request_.options);
        if (const auto s = subject->start(); s.event != Event::ok) return void(a_.skipped = s.what);
        if (!subject->cases().empty()) return void(a_.skipped = "its outputs are files: nothing more can be asked");
        const auto entry = entry_for(subject->entries(), op->abi, g.claim);
        if (!entry) return void(a_.skipped = "no entry of it serves this claim");
        Contract c = a_.contracts.empty() ? g.claim[0] : a_.contracts[0];
        if (op->abi != Abi::rmsnorm) return projections(*subject, *entry, *op, g.claim[0]);
        if (!probeable(c)) return void(a_.skipped = "quantised or biased outputs are not probed");
        if (g.verdict == Verdict::crashed || g.verdict == Verdict::hung || g.verdict == Verdict::refused) return void(a_.skipped = std::string(name(g.verdict)));
        c.x = g.claim[0].x, c.w = g.claim[0].w, c.y = g.claim[0].y, c.res = g.claim[0].res;
        Prober p(*subject, *entry, *op, c, a_.d);
        auto forms = a_.contracts.empty() ? faulty_forms(g) : forms_of(a_.contracts);
        if (forms.empty()) forms = forms_of(g.claim);
        a_.forms = find_forms(p, forms);
        OrderOptions order;
        order.also = wider_forms(a_.forms.equal.empty() ? forms : a_.forms.equal);
        auto readers = a_.forms.equal.empty() ? nearby(forms) : a_.forms.equal;
        a_.order = recover_order(p, readers, order);
        if (options_.behaviour && p.error.empty()) a_.behaviour = behaviour(p, g.claim[0], options_.reruns);
        if (!p.error.empty()) a_.skipped = p.error;
        if (p.error.empty()) a_.smallest = smallest_failure(g, request_.options);
        collect_replays();
    }

  private:
    // The sums over K, and a restatement with those orders on random tokens.
    void projections(Subject& subject, std::size_t entry, const Op& op, Contract c) {
        Case like;
        like.op = op.name;
        like.claim = {c};
        like.d = a_.d;
        like.profile = "random";
        like.tokens = 2;
        if (a_.d != 7168 && op.abi == Abi::mla_query) like.rank = 64, like.heads = 4, like.nope = 16, like.rope = 8, like.kv = 32;
        if (op.abi == Abi::linear) like.out = 512;
        const Made made = make(like);
        if (!made.error.empty()) return void(a_.skipped = made.error);
        if (c.map == Map::none) c.map = Map::cast_first;
        a_.sums = gemm_orders(subject, entry, op, c, made.tensors.sizes);
        const Outcome got = subject.run(entry, made.tensors);
        if (got.event != Event::ok) return;
        for (const QueryModel& m : sum_models(c, a_.sums)) {
            QueryPath path(made.tensors, m);
            const auto want = path.run();
            std::int64_t equal = 0, all = 0;
            for (std::size_t k = 0; k < want.size(); ++k) {
                const Tensor& t = made.tensors.all[k];
                const auto n = static_cast<std::size_t>(bytes(t.type));
                for (std::size_t at = 0; !t.spec->input() && at < want[k].size(); at += n) equal += !std::memcmp(want[k].data() + at, got.out[k].data() + at, n), ++all;
            }
            const auto text = fmt::format("model/{}: gives {} of {} outputs of random tokens bit for bit", print(m.contract), grouped(equal), grouped(all));
            if (a_.model.empty() || equal == all) a_.model = text;
            if (equal == all) break;
        }
        if (!a_.group.failures.empty()) a_.replays.push_back(a_.group.failures.front().line);
    }

    // Where no form is equal, r may still be a few steps beside one: good enough to choose rows by.
    static std::vector<Form> nearby(const std::vector<Form>& forms) {
        std::vector<Form> out;
        if (forms.empty()) return out;
        for (int k = -3; k <= 3; ++k) {
            Form f = forms.front();
            f.model.r_steps += k;
            out.push_back(std::move(f));
        }
        return out;
    }

    void collect_replays() {
        const Group& g = a_.group;
        if (!g.failures.empty()) a_.replays.push_back(g.failures.front().line);
        if (a_.smallest && !a_.smallest->line.empty()) a_.replays.push_back(a_.smallest->line);
        Case like;
        like.op = g.op;
        like.claim = a_.contracts.empty() ? g.claim : Claim{a_.contracts[0]};
        const auto add = [&](std::span<const float> x, double eps, std::span<const float> w) {
            like.eps = eps;
            if (const auto c = segment_case(like, x, w); c && print(*c).size() < 400) a_.replays.push_back(print(*c));
        };
        if (a_.order.reading && !a_.order.example.empty()) {
            std::vector<float> x(static_cast<std::size_t>(a_.d));
            for (const Spot& s : a_.order.example) x[static_cast<std::size_t>(s.column)] = s.value;
            add(x, a_.order.reading->eps, {});
        }
        if (a_.replays.empty() && !g.worst_line.empty()) a_.replays.push_back(g.worst_line);
    }

    const RunRequest& request_;
    const ExplainOptions& options_;
    Arithmetic& a_;
};

}  // namespace

Explained explain_arithmetic(const RunRequest& r, const ExplainOptions& o) {
    Explained out;
    Quiet quiet;
    auto ran = run(r, quiet);
    out.error = ran.error;
    out.result = std::move(ran.result);
    if (!out.error.empty()) return out;
    for (const Group& g : out.result.groups) {
        const auto began = std::chrono::steady_clock::now();
        Arithmetic a;
        a.group = g;
        Sizes own;
        find_op(g.op)->defaults(own);
        a.d = own[find_op(g.op)->d];
        if (!g.d.empty() && std::find(g.d.begin(), g.d.end(), a.d) == g.d.end()) a.d = g.d.front();
        Explainer(r, o, a).run();
        for (const auto& b : a.behaviour) out.behaviour_failed |= !b.held && b.claimed;
        a.seconds = g.seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        out.all.push_back(std::move(a));
    }
    return out;
}

}  // namespace ulpgate
