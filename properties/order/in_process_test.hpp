// A kernel of the tests in this process: a model with any sum.
#pragma once
#include <functional>

#include "impls/subject/subject.hpp"
#include "properties/order/prober.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {

class InProcess final : public Subject {
  public:
    using Sum = std::function<double(std::span<const float>, std::int64_t rows)>;
    explicit InProcess(std::string text, Sum sum = {}) : text_(std::move(text)), sum_(std::move(sum)) {
        if (const auto bad = parse(text_, model)) throw std::runtime_error(text_ + ": " + bad->what);
        EntryInfo e;
        e.contract = print(model.contract);
        entries_.push_back(e);
    }
    const std::string& text() const override { return text_; }
    Outcome start() override { return {}; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return "in process"; }
    std::string version() const override { return ""; }
    std::string mode() const override { return ""; }
    Outcome run(std::size_t, const Tensors& t) override {
        Outcome o;
        o.out = model.run(t);
        if (!sum_) return o;
        const Tensor &x = *t.find("x"), *w = t.find("w"), &y = *t.find("y");
        const auto d = static_cast<std::size_t>(x.width());
        std::vector<float> row(d), gain(w ? d : 0), out(d);
        if (w) w->read_row(0, gain);
        for (std::int64_t i = 0; i < x.rows(); ++i) {
            x.read_row(i, row);
            model.elements(row, gain, model.from_sum(sum_(row, x.rows()), row, t.eps), out);
            pack(y.type, out, o.out[static_cast<std::size_t>(&y - t.all.data())].data() + i * x.width() * bytes(y.type));
        }
        return o;
    }
    Prober prober(std::int64_t d) { return Prober(*this, 0, *find_op("q_a_layernorm"), model.contract, d); }
    Model model;

  private:
    std::string text_;
    Sum sum_;
    std::vector<EntryInfo> entries_;
};

}  // namespace ulpgate
