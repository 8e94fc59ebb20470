// A model over a whole case: addresses, the residual's mix, sums that two rows enter, outputs packed.
#include "reference/model/model.hpp"

namespace ulpgate {
namespace {

// Row `row` of the case as the statistic and the map see it, and the residual that goes out.
class RowReader {
  public:
    RowReader(const Model& m, const Tensors& t)
        : model_(m),
          x_(*t.find("x")),
          residual_(t.find("residual")),
          rounded_(width()),
          unrounded_(residual_ ? width() : 0) {}

    std::size_t width() const { return static_cast<std::size_t>(x_.width()); }

    void load(std::int64_t row) {
        const auto ld = x_.rank > 1 ? x_.stride[static_cast<std::size_t>(x_.rank) - 2] : x_.width();
        if (model_.address)
            unpack(x_.type, x_.storage.data() + model_.address(row, ld, x_.width()) * bytes(x_.type),
                   rounded_);
        else
            x_.read_row(row, rounded_);
        if (!residual_) return;
        residual_->read_row(row, unrounded_);
        for (std::size_t j = 0; j < rounded_.size(); ++j)
            rounded_[j] = unrounded_[j] = rounded_[j] + unrounded_[j];
        model_.narrow(residual_->type, rounded_);
    }
    // What the statistic sees, with the values after the row's end that a fault counts.
    std::span<const float> statistic_input(std::int64_t row) {
        const auto x = pick(Residual::var_unrounded);
        const auto more = model_.spill && !residual_ ? model_.spill(x_.width()) : 0;
        if (more == 0) return x;
        const auto ld = x_.rank > 1 ? x_.stride[static_cast<std::size_t>(x_.rank) - 2] : x_.width();
        spilled_.assign(x.begin(), x.end());
        for (std::int64_t k = 0, at = row * ld + x_.width(); k < more && at < x_.extent(); ++k, ++at)
            spilled_.push_back(decode(x_.type, x_.word(at)));
        return spilled_;
    }
    std::span<const float> rounded() const { return rounded_; }
    std::span<const float> normalised() const { return pick(Residual::norm_unrounded); }

  private:
    std::span<const float> pick(Residual mix) const {
        const Residual r = model_.mix.value_or(model_.contract.residual);
        return residual_ && (r == Residual::unrounded || r == mix) ? unrounded_ : rounded_;
    }

    const Model& model_;
    const Tensor& x_;
    const Tensor* residual_;
    std::vector<float> rounded_, unrounded_, spilled_;
};

}  // namespace

std::vector<std::vector<std::byte>> Model::run(const Tensors& t) const {
    if (for_rows) {
        Model chosen = *this;
        chosen.for_rows = nullptr;
        for_rows(chosen, t.find("x")->rows());
        return chosen.run(t);
    }
    std::vector<std::vector<std::byte>> out(t.all.size());
    std::byte *y = nullptr, *residual_out = nullptr;
    Type y_type = contract.y, residual_type = contract.res;
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const Tensor& n = t.all[k];
        if (n.spec->input()) continue;
        out[k].resize(static_cast<std::size_t>(n.count() * bytes(n.type)));
        if (n.spec->name == "y") y = out[k].data(), y_type = n.type;
        if (n.spec->name == "residual_out") residual_out = out[k].data(), residual_type = n.type;
    }
    RowReader reader(*this, t);
    const auto rows = t.find("x")->rows();
    std::vector<float> w, values(reader.width());
    if (const Tensor* gain_tensor = t.find("w")) {
        w.resize(reader.width());
        gain_tensor->read_row(0, w);
    }
    std::vector<double> sums(static_cast<std::size_t>(partner ? rows : 0));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(sums.size()); ++i) {
        reader.load(i);
        sums[static_cast<std::size_t>(i)] = sum_of(reader.statistic_input(i));
    }
    for (std::int64_t i = 0; i < rows; ++i) {
        reader.load(i);
        const auto x = reader.statistic_input(i);
        const auto at = static_cast<std::size_t>(i);
        double s = partner ? sums[at] : sum_of(x);
        if (const auto other = partner ? partner(i, rows) : i; other != i) {
            s += sums[static_cast<std::size_t>(other)];  // of two f32 values: exact, or rounded innocuously
            if (!f64_mean) s = static_cast<float>(s);
        }
        elements(reader.normalised(), w, from_sum(s, x.first(reader.width()), t.eps), values);
        const auto first = static_cast<std::size_t>(i) * values.size();
        if (y) pack(y_type, values, y + first * static_cast<std::size_t>(bytes(y_type)));
        if (residual_out)
            pack(residual_type, reader.rounded(),
                 residual_out + first * static_cast<std::size_t>(bytes(residual_type)));
    }
    return out;
}

}  // namespace ulpgate
