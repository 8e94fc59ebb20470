#include "reports/budget/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpgate {
namespace {

template <class Entry>
Entry* entry_of(std::vector<Entry>& all, const BudgetKey& key) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.key == key; });
    return it == all.end() ? nullptr : &*it;
}

bool smaller(const std::optional<double>& a, const std::optional<double>& b) { return a && (!b || *a < *b); }

// The two quantities of an entry may come from two files: then it says both reasons.
void both(std::string& mine, const std::string& other) {
    if (other.empty() || mine == other) return;
    mine += (mine.empty() ? "" : "; ") + other;
}

class Merger {
  public:
    explicit Merger(const Budget& first) { out_.budget.subject = first.subject; }

    void add(const Budget& b) {
        if (b.subject != out_.budget.subject) {
            out_.error = fmt::format("{}: its subject is {}, that of {} is {}: one budget has one subject", b.path, b.subject, first_path_, out_.budget.subject);
            return;
        }
        if (first_path_.empty()) first_path_ = b.path;
        for (const auto& l : b.limits) limit(l, b.path);
        for (const auto& k : b.known) known(k, b.path);
    }
    MergedBudget take() { return std::move(out_); }
    bool failed() const { return !out_.error.empty(); }

  private:
    void limit(BudgetLimit l, const std::string& path) {
        for (auto* v : {&l.r_ulp32, &l.ulp})
            if (*v) *v = grid_up(**v);
        BudgetLimit* mine = entry_of(out_.budget.limits, l.key);
        if (!mine) {
            out_.budget.limits.push_back(std::move(l));
            return;
        }
        const bool r = smaller(l.r_ulp32, mine->r_ulp32), y = smaller(l.ulp, mine->ulp);
        if (r || y) out_.notes.push_back(fmt::format("{}: the smaller limit is that of {}:{}", key_text(l.key), path, l.line));
        const bool keeps = (mine->r_ulp32 && !r) || (mine->ulp && !y);
        if (r) mine->r_ulp32 = l.r_ulp32;
        if (y) mine->ulp = l.ulp;
        if (!r && !y) return;
        if (!keeps) {
            mine->why = l.why, mine->count = l.count, mine->witness = l.witness;
            return;
        }
        both(mine->why, l.why);
        both(mine->count, l.count);
        if (r) mine->witness = l.witness;  // of r where both are limited: the output's follows from it
    }
    void known(const BudgetKnown& k, const std::string& path) {
        BudgetKnown* mine = entry_of(out_.budget.known, k.key);
        if (!mine) {
            out_.budget.known.push_back(k);
            places_.push_back(fmt::format("{}:{}", path, k.line));
            return;
        }
        const auto at = static_cast<std::size_t>(mine - out_.budget.known.data());
        if (mine->finding != k.finding) {
            out_.error = fmt::format("{}:{}: the known finding for {} is '{}', in {} it is '{}': keep one of them", path, k.line, key_text(k.key), k.finding,
                                     places_[at], mine->finding);
            return;
        }
        if (k.until < mine->until) *mine = k;
    }

    MergedBudget out_;
    std::string first_path_;
    std::vector<std::string> places_;  // of the known findings
};

}  // namespace

MergedBudget merge_budgets(const std::vector<Budget>& budgets) {
    Merger m(budgets.at(0));
    for (const auto& b : budgets) {
        m.add(b);
        if (m.failed()) return m.take();
    }
    auto out = m.take();
    for (const auto& k : out.budget.known) {
        const auto in = std::count_if(budgets.begin(), budgets.end(), [&](const Budget& b) {
            return std::any_of(b.known.begin(), b.known.end(), [&](const BudgetKnown& o) { return o.key == k.key; });
        });
        if (in < static_cast<std::ptrdiff_t>(budgets.size()))
            out.notes.push_back(fmt::format("{}: the finding '{}' is known in {} of {} budgets, and kept until {}", key_text(k.key), k.finding, in, budgets.size(), k.until));
    }
    return out;
}

}  // namespace ulpgate
