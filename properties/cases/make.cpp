#include <fmt/format.h>

#include <algorithm>

#include "properties/cases/activations.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/make_query.hpp"
#include "properties/profiles/build.hpp"
#include "properties/profiles/gains.hpp"
#include "properties/profiles/profile.hpp"
#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate {
namespace {

// Streams of random numbers: a tensor's place in the op's table, so that an optional tensor moves no other;
// the gaps before and behind its rows have their own.
constexpr std::uint64_t behind = 1000, before = 2000;

std::uint64_t stream_of(const Tensors& t, const Tensor& v) {
    return static_cast<std::uint64_t>(v.spec - t.op->tensors.data()) + 1;
}

void fill_gap(Tensor& t, std::int64_t from, std::int64_t count, Rng r) {
    for (std::int64_t k = 0; k < count; ++k) t.set_word(from + k, encode(t.type, build::gauss(r, 0)));
}

// The elements between rows belong to a buffer of ld columns, of which the tensor is the slice from `col` on.
void fill_gaps(Tensor& t, const Case& c, std::uint64_t stream) {
    const std::int64_t stride = t.rank > 1 ? t.stride[static_cast<std::size_t>(t.rank - 2)] : t.width();
    const std::int64_t gap = stride - t.width(), front = std::min(c.col, gap);
    for (std::int64_t i = 0; gap > 0 && i + 1 < t.rows(); ++i) {
        const std::int64_t at = t.row_at(i) + t.width();
        fill_gap(t, at, gap - front, Rng(c.seed, stream + behind, static_cast<std::uint64_t>(i)));
        fill_gap(t, at + gap - front, front, Rng(c.seed, stream + before, static_cast<std::uint64_t>(i + 1)));
    }
}

void fill_program(Tensor& t, const Program& p) {
    for (std::int64_t i = 0; i < t.rows(); ++i) {
        const std::int64_t at = t.row_at(i);
        for (std::int64_t j = 0; j < t.width(); ++j) t.set_word(at + j, p.fill.value_or(0));
        for (const Segment& s : p.segments)
            for (std::int64_t k = 0; k < s.count; ++k)
                t.set_word(at + s.start + k * s.stride,
                           s.words[static_cast<std::size_t>(k) % s.words.size()]);
    }
}

std::vector<float> values(const Tensor* t) {
    std::vector<float> v(t ? static_cast<std::size_t>(t->width()) : 0);
    if (t) t->read_row(0, v);
    return v;
}

class Maker {
  public:
    explicit Maker(const Case& c) : case_(c), profile_(find_profile(c.profile)) {}

    std::string fill(Tensors& t) {
        if (!case_.file.empty()) file_ = load_activations(case_.file);
        if (!file_.error.empty()) return file_.error;
        if (!case_.file.empty() && file_.d != case_.d)
            return fmt::format("{}: its rows have {} columns, the case says {}", case_.file, file_.d,
                               case_.d);
        for (Tensor& v : t.all)
            if (v.spec->input()) fill_gaps(v, case_, stream_of(t, v));
        if (auto* w = t.find("w")) fill_gain(*w, t);
        fill_x(*t.find("x"), t);
        if (auto* residual = t.find("residual")) fill_residual(*residual, t);
        return "";
    }

  private:
    RowRequest request(const Tensors& t, const Tensor& v, std::int64_t row) const {
        return {Rng(case_.seed, stream_of(t, v), static_cast<std::uint64_t>(row)),
                v.type,
                case_.eps,
                row,
                v.rows(),
                w_};
    }

    void fill_gain(Tensor& w, const Tensors& t) {
        std::vector<float> v(static_cast<std::size_t>(w.width()));
        const Gain how = case_.claim[0].gain;
        if (case_.w_program.fill)
            fill_program(w, case_.w_program);
        else if (case_.gain.empty() && !file_.w.empty())
            w.write_row(0, file_.w);
        else {
            std::string_view rule = case_.gain;
            if (rule.empty()) rule = how != Gain::given ? "one_plus" : profile_ ? profile_->gain : "ones";
            find_gain_rule(rule)->fill(Rng(case_.seed, stream_of(t, w), 0), w.type, v);
            w.write_row(0, v);
        }
        w_ = values(&w);
    }

    // Row `row` of the file's, cyclically.
    std::span<const float> stored(std::int64_t row) const {
        return std::span(file_.x).subspan(static_cast<std::size_t>(row % file_.rows * file_.d),
                                          static_cast<std::size_t>(file_.d));
    }

    void fill_x(Tensor& x, const Tensors& t) {
        if (case_.program.fill) return fill_program(x, case_.program);
        std::vector<float> v(static_cast<std::size_t>(x.width()));
        for (std::int64_t i = 0; i < x.rows(); ++i) {
            if (profile_) profile_->row(request(t, x, i), v);
            x.write_row(i, profile_ ? std::span<const float>(v) : stored(i));
        }
    }

    // By its program; by the profile; the file's next row; zero beside a program of x.
    void fill_residual(Tensor& residual, const Tensors& t) {
        if (case_.residual_program.fill || case_.program.fill)
            return fill_program(residual, case_.residual_program);
        const Tensor& x = *t.find("x");
        std::vector<float> of_x(static_cast<std::size_t>(x.width())), v(of_x.size());
        for (std::int64_t i = 0; i < residual.rows(); ++i) {
            if (!profile_) {
                residual.write_row(i, stored(i + 1));
                continue;
            }
            x.read_row(i, of_x);
            if (profile_->residual)
                profile_->residual(request(t, residual, i), of_x, v);
            else
                profile_->row(request(t, residual, i), v);
            residual.write_row(i, v);
        }
    }

    const Case& case_;
    const Profile* profile_;
    Activations file_;
    std::vector<float> w_;
};

std::string unknown_names(const Case& c) {
    if (!find_op(c.op)) return fmt::format("no operation '{}'", c.op);
    if (find_op(c.op)->abi != Abi::rmsnorm)
        return find_query_profile(c.profile) ? "" : fmt::format("{} needs one of its own profiles: no '{}'", c.op, c.profile);
    if (!c.profile.empty() && !find_profile(c.profile)) return fmt::format("no profile '{}'", c.profile);
    if (!c.gain.empty() && !find_gain_rule(c.gain)) return fmt::format("no gain rule '{}'", c.gain);
    if (c.profile.empty() && !c.program.fill && c.file.empty()) return "says not what x holds";
    return "";
}

}  // namespace

Misfit misfit(const Case& c) {
    if (const Op* op = find_op(c.op); op && op->abi != Abi::rmsnorm) return query_misfit(c);
    if (c.rank >= 0 || c.kv || c.heads || c.nope || c.rope || c.out || c.past)
        return {c.rank >= 0 ? "rank" : c.kv ? "kv" : c.past ? "past" : c.heads ? "heads" : c.nope ? "nope" : c.rope ? "rope" : "out", c.op + " has no such size"};
    const Contract& k = c.claim.at(0);
    const auto too_short = [&](std::int64_t ld, std::int64_t needed) {
        return fmt::format("a row stride of {} is below the {} columns that a row needs", ld, needed);
    };
    if (c.ld && c.ld < c.d + c.col) return {"ld", too_short(c.ld, c.d + c.col)};
    if (c.col && !c.ld) return {"col", "the slice of a wider buffer: give ld=, the columns of the buffer"};
    if (c.yld && c.yld < c.d) return {"yld", too_short(c.yld, c.d)};
    if (c.batch * c.tokens > (std::int64_t{1} << 31))
        return {c.batch == 1 ? "rows" : "bt", "more than 2^31 rows"};
    const std::int64_t rows = c.batch * c.tokens;
    if (c.row >= rows && c.row >= 0) return {"row", fmt::format("no row {}: the case has {}", c.row, rows)};
    const bool residual = k.residual != Residual::none;
    const std::int64_t in = bytes(k.x) + (residual ? bytes(k.res) : 0),
                       out = bytes(k.y) + (residual ? bytes(k.res) : 0);
    const std::int64_t row = std::max(c.ld, c.d) * in + std::max(c.yld, c.d) * out;
    if (rows > case_bytes / row)
        return {c.batch == 1 ? "rows" : "bt",
                fmt::format("{} rows of {} bytes are more than the {} bytes a case may take", rows, row,
                            case_bytes)};
    if (k.gain == Gain::none && (!c.gain.empty() || c.w_program.fill))
        return {c.gain.empty() ? "w.fill" : "gain", "the contract says gain=none"};
    if (!residual && c.residual_program.fill)
        return {"residual.fill", "the contract has no residual: contract=...,residual=rounded"};
    return {};
}

Made make(const Case& c) {
    Made m;
    if (m.error = unknown_names(c); !m.error.empty()) return m;
    if (const Misfit bad = misfit(c); !bad.what.empty()) {
        m.error = fmt::format("{}: {}", bad.key, bad.what);
        return m;
    }
    const Op& op = *find_op(c.op);
    if (op.abi != Abi::rmsnorm) return make_query(c);
    Sizes sizes;
    op.defaults(sizes);
    sizes[op.d] = c.d;
    sizes[Dim::batch] = c.batch;
    sizes[Dim::tokens] = c.tokens;
    op.derive(sizes);
    m.tensors = lay_out(op, c.claim[0], sizes, c.ld, c.yld);
    m.tensors.eps = c.eps;
    m.tensors.offset =
        c.offset + c.col;  // a slice starts as far off its buffer's alignment as its column says
    m.tensors.threads = c.threads;
    m.error = Maker(c).fill(m.tensors);
    return m;
}

}  // namespace ulpgate
