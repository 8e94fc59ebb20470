#include "properties/judge/rows.hpp"

#include <fmt/format.h>

#include "reference/formats/convert.hpp"

namespace ulpgate::judging {
namespace {

std::size_t index_of(const Tensors& t, std::string_view tensor) {
    for (std::size_t i = 0; i < t.all.size(); ++i)
        if (t.all[i].spec->name == tensor) return i;
    return t.all.size();
}

bool is_nan(float v) { return v != v; }

}  // namespace

Rows::Rows(const Tensors& t, const Outcome& o) {
    if (t.op->abi != Abi::rmsnorm) {  // query_judge.cpp
        error_ = fmt::format("{}: outputs of this operation cannot be judged yet", t.op->name);
        return;
    }
    const auto bytes_of = [&](std::string_view tensor, std::span<const std::byte>& out, Type& type) {
        const std::size_t i = index_of(t, tensor);
        if (i == t.all.size()) return;
        type = t.all[i].type;
        const auto want = static_cast<std::size_t>(t.all[i].count() * bytes(type));
        const std::size_t got = i < o.out.size() ? o.out[i].size() : 0;
        if (got != want)
            error_ = fmt::format("{} came back with {} bytes, {} were asked for", tensor, got, want);
        else
            out = o.out[i];
    };
    x_ = t.find("x");
    residual_ = t.find("residual");
    rows_ = x_->rows();
    d_ = x_->width();
    bytes_of("y", out_, y_type_);
    if (residual_) bytes_of("residual_out", residual_out_, residual_type_);
    if (const Tensor* w = t.find("w")) {
        w_.resize(static_cast<std::size_t>(d_));
        w->read_row(0, w_);
    }
    rounded_.resize(static_cast<std::size_t>(d_));
    y_.resize(rounded_.size());
    if (residual_) unrounded_.resize(rounded_.size());
}

void Rows::load(std::int64_t row) {
    if (row == row_) return;
    row_ = row;
    y_row_ = floats_of(y_type_, out_.data() + row * d_ * bytes(y_type_), y_);
    if (!residual_) {
        x_row_ = floats_of(x_->type, x_->storage.data() + x_->row_at(row) * bytes(x_->type), rounded_);
        return;
    }
    x_row_ = rounded_;
    x_->read_row(row, rounded_);
    residual_->read_row(row, unrounded_);
    for (std::size_t j = 0; j < unrounded_.size(); ++j) rounded_[j] = unrounded_[j] += rounded_[j];
    with_format(residual_type_, [&](auto f) {
        for (float& v : rounded_) v = f.round(v);
    });
}

std::span<const float> Rows::statistic_input(Residual r) const {
    return r == Residual::unrounded || r == Residual::var_unrounded ? unrounded_ : x_row_;
}

std::span<const float> Rows::normalised(Residual r) const {
    return r == Residual::unrounded || r == Residual::norm_unrounded ? unrounded_ : x_row_;
}

std::span<const std::byte> Rows::y_bytes() const {
    const auto n = static_cast<std::size_t>(d_ * bytes(y_type_));
    return out_.subspan(static_cast<std::size_t>(row_) * n, n);
}

std::int64_t Rows::residual_mismatch(Witness& w) const {
    if (!residual_) return -1;
    std::vector<float> got(rounded_.size());
    unpack(residual_type_, residual_out_.data() + row_ * d_ * bytes(residual_type_), got);
    for (std::size_t j = 0; j < got.size(); ++j) {
        const std::uint32_t a = encode(residual_type_, got[j]), b = encode(residual_type_, rounded_[j]);
        if (a == b || (is_nan(got[j]) && is_nan(rounded_[j]))) continue;
        w.row = row_;
        w.col = static_cast<std::int64_t>(j);
        w.x = unrounded_[j];
        w.got = a;
        w.allowed_lo = w.allowed_hi = b;
        return w.col;
    }
    return -1;
}

}  // namespace ulpgate::judging
