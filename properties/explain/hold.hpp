// A hypothesis against rows: a model with some lines changed, one value of each of its parameters for all rows.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "properties/explain/explain.hpp"
#include "properties/explain/reach.hpp"
#include "reference/admissible/row_set.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate::naming {

struct RowData {  // copied: a fault may look at its neighbour
    std::int64_t at, row;
    std::size_t index;  // among all rows
    std::vector<float> statistic, partner, spilled, x, y;
    double eps;
    Row view() const { return {statistic, partner, spilled, eps}; }
};

struct CaseData {
    std::vector<RowData> rows;
    std::vector<float> w;
};

// The cases' rows as hypotheses of one claim see them, and what many hypotheses share about them.
class Evidence {
  public:
    Evidence(std::span<const FailedCase> cases, std::int64_t rows) : cases_(cases), most_(rows) {}
    std::size_t rows() const { return rows_; }

    // By what the model reads: its residual mix, addresses, neighbours.
    const std::vector<CaseData>& read(const Model&);
    // The scalars with which the model's element lines give the row. key: those lines.
    const RowSet& fit(const Model&, const std::string& key, const RowData&, std::span<const float> w);
    const SumRange& sum(const Model&, const std::string& key, const RowData&);
    const Sums& sums(const Model&, const std::string& key, const RowData&);

  private:
    std::span<const FailedCase> cases_;
    std::int64_t most_;
    std::size_t rows_ = 0;
    std::map<std::string, std::vector<CaseData>> data_;
    template <class T>
    using Known = std::map<std::string, std::vector<std::optional<T>>>;
    Known<RowSet> fits_;
    Known<SumRange> ranges_;
    Known<Sums> sums_;
};

struct Bounds {
    double lo, hi;
};

class Hypothesis {
  public:
    // given: parameters of the faults where they are not looked for; NaN elsewhere.
    Hypothesis(std::vector<const Fault*>, const Model& base, const std::vector<double>& given = {});
    std::optional<Excluded> hold(Evidence&);
    std::vector<Named> named() const;
    Model model() const;  // with the middle of its parameter's interval
    bool searches() const { return search_ != Search::none; }
    bool by_column() const { return search_ == Search::integer; }

  private:
    // How the parameter is found: not at all, an interval of reals after the sum, every integer below d, from the NaN.
    enum class Search { none, real, integer, nan_column };

    std::optional<Excluded> row(Evidence&, const RowData&, std::span<const float> w);
    std::optional<Excluded> nan_column(const RowData&);
    bool integers(const RowData&, const RowSet&);
    std::vector<bool>& left(std::size_t d) { return left_.try_emplace(d, d, true).first->second; }
    Excluded excluded(const RowData&, std::int64_t col, std::string why) const;

    std::vector<const Fault*> faults_;
    std::vector<double> given_;
    Model model_;
    const Fault* searched_ = nullptr;
    std::string element_key_, sum_key_;
    Search search_ = Search::none;
    Bounds p_{1e-30, 1e30};
    std::map<std::size_t, std::vector<bool>> left_;  // by d: parameters that no row excludes
    std::int64_t rows_ = 0, outputs_ = 0;
};

// Models of the claim: its associations; where a fault's sum depends on the order, each order of the bank.
std::vector<Model> models(const Contract&, bool orders);
// Parameters that are tried one by one, of a fault whose parameter is neither searched nor read off; {NaN} for the others.
std::vector<double> tried(const Fault&, const Model& with, std::size_t d);

}  // namespace ulpgate::naming
