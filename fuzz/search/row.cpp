#include "fuzz/search/row.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "reference/formats/convert.hpp"

namespace ulpgate::fuzzing {
namespace {

template <class Word>
void fill_as(const Program& p, std::int64_t d, std::byte* out) {
    auto* w = reinterpret_cast<Word*>(out);
    std::fill(w, w + d, static_cast<Word>(p.fill.value_or(0)));
    for (const Segment& s : p.segments) {
        if (s.words.size() == 1) {
            const auto v = static_cast<Word>(s.words[0]);
            Word* at = w + s.start;
            for (std::int64_t k = 0; k < s.count; ++k, at += s.stride) *at = v;
            continue;
        }
        for (std::int64_t k = 0; k < s.count; ++k) w[s.start + k * s.stride] = static_cast<Word>(s.words[static_cast<std::size_t>(k) % s.words.size()]);
    }
}

std::size_t index_of(const Tensors& t, std::string_view name) {
    for (std::size_t k = 0; k < t.all.size(); ++k)
        if (t.all[k].spec->name == name) return k;
    return t.all.size();
}

}  // namespace

void fill_words(const Program& p, Type t, std::int64_t d, std::byte* out) {
    if (bytes(t) == 4) fill_as<std::uint32_t>(p, d, out);
    else fill_as<std::uint16_t>(p, d, out);
}

Row::Row(Subject& subject, std::size_t entry, const Case& shape, Objective objective, bool direct)
    : subject_(subject), entry_(entry), shape_(shape), objective_(objective), contract_(shape.claim.at(0)) {
    Made made = make(shape);
    if (error_ = made.error; !error_.empty()) return;
    tensors_ = std::move(made.tensors);
    contract_ = tensors_.contract;
    x_at_ = index_of(tensors_, "x");
    y_at_ = index_of(tensors_, "y");
    const auto d = static_cast<std::size_t>(shape.d);
    x_.resize(d);
    y_.resize(d);
    if (const Tensor* w = tensors_.find("w")) {
        w_.resize(d);
        w->read_row(0, w_);
    }
    if (!direct) return;
    call_ = std::make_unique<DirectCall>(subject, entry, tensors_);
    error_ = call_->error();
}

// Where each segment begins, and some where the fill is likely to be left.
void Row::choose_columns(const Program& p) {
    columns_.clear();
    for (const Segment& s : p.segments) columns_.push_back(s.start);
    for (std::int64_t k = 0; k < 4; ++k) columns_.push_back((shape_.d - 1) * k / 3);
}

bool Row::run(const Program& p) {
    Tensor& x = tensors_.all[x_at_];
    std::byte* in = call_ ? call_->data(x_at_) : x.storage.data();
    fill_words(p, x.type, shape_.d, in);
    decode_words(x.type, in, x_);
    const Type y = tensors_.all[y_at_].type;
    if (call_) {
        if ((*call_)() != 0) return false;
        choose_columns(p);
        if (objective_ == Objective::ulp) {
            decode_words(y, call_->data(y_at_), y_);
            return true;
        }
        for (const std::int64_t j : columns_) {
            const auto at = static_cast<std::size_t>(j);
            decode_words(y, call_->data(y_at_) + j * bytes(y), std::span(y_).subspan(at, 1));
        }
        return true;
    }
    const Outcome o = subject_.run(entry_, tensors_);
    if (o.event != Event::ok) return false;
    decode_words(y, o.out[y_at_].data(), y_);
    return true;
}

double Row::operator()(const Program& p) { return run(p) ? value_of(objective_, outputs()) : nothing; }
double Row::allowed(const Program& p) { return run(p) ? allowed_on(objective_, outputs()) : nothing; }

void Row::bare_call() {
    if (call_) (*call_)();
}

double Row::bare_calls_a_second() {
    if (!call_) return 0;
    using Clock = std::chrono::steady_clock;
    double best = 0;
    for (int round = 0; round < 5; ++round) {
        const auto from = Clock::now();
        constexpr int calls = 2000;
        for (int k = 0; k < calls; ++k) (*call_)();
        best = std::max(best, calls / std::chrono::duration<double>(Clock::now() - from).count());
    }
    return best;
}

Case Row::case_of(const Program& p) const {
    Case c = shape_;
    c.program = p;
    return c;
}

}  // namespace ulpgate::fuzzing
