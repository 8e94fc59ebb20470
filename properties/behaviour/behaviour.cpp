#include "properties/behaviour/behaviour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "properties/order/recover.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t seed = 4242;

using Words = std::vector<std::uint32_t>;

class Relations {
  public:
    Relations(Prober& p, const Contract& claim) : p_(p), claim_(claim), w_(p.unit_gain()) {
        for (std::size_t j = 0; j < w_.size(); ++j)
            if (p.contract().gain != Gain::none) w_[j] = round_to(p.contract().w, 1.0f + static_cast<float>(j * 37 % 128) * 0x1p-7f);
        x_ = order_rows(p.x_type(), p.d(), distinct, seed);
    }

    // The case with n rows, row i being distinct row (i + shift) mod distinct.
    Tensors lay(std::int64_t n, std::int64_t shift, std::int64_t gap = 0, std::int64_t offset = 0) const {
        const auto d = static_cast<std::size_t>(p_.d());
        Tensors t = p_.lay(n, 1e-6);
        if (gap) {
            t = lay_out(*t.op, t.contract, t.sizes, p_.d() + gap, p_.d() + gap);
            t.eps = 1e-6;
        }
        t.offset = offset;
        if (Tensor* w = t.find("w")) w->write_row(0, w_);
        for (std::int64_t i = 0; i < n; ++i) t.find("x")->write_row(i, std::span(x_).subspan(static_cast<std::size_t>((i + shift) % distinct) * d, d));
        return t;
    }
    // First row of `got` that is not the base row it should be, in words; "" where all are.
    std::string differs(const Words& got, std::int64_t shift, Relation& r) const {
        const auto d = static_cast<std::size_t>(p_.d());
        for (std::size_t i = 0; i * d < got.size(); ++i) {
            ++r.comparisons;
            const auto b = (static_cast<std::int64_t>(i) + shift) % distinct;
            for (std::size_t j = 0; j < d; ++j)
                if (got[i * d + j] != base_[static_cast<std::size_t>(b) * d + j]) {
                    const int digits = 2 * bytes(p_.contract().y);
                    return fmt::format("row {} col {}: {:0{}x} instead of {:0{}x}", i, j, got[i * d + j], digits, base_[static_cast<std::size_t>(b) * d + j], digits);
                }
        }
        return "";
    }
    bool begin() {
        base_ = p_.call(lay(distinct, 0));
        return !base_.empty();
    }
    void hold(Relation& r, const Tensors& t, std::int64_t shift, const std::string& where) {
        if (!r.held || r.skipped) return;
        const auto y = p_.call(t);
        if (y.empty()) {
            r.skipped = true;
            r.finding = fmt::format("{}: {}", where, p_.error);
            p_.error.clear();
            return;
        }
        if (const auto bad = differs(y, shift, r); !bad.empty()) {
            r.held = false;
            r.finding = fmt::format("{}: {}", where, bad);
        }
    }
    bool claimed(std::string_view what) const { return ("." + claim_.holds + ".").find(fmt::format(".{}.", what)) != std::string::npos; }

    static constexpr std::int64_t distinct = 64;

  private:
    Prober& p_;
    const Contract& claim_;
    std::vector<float> w_, x_;
    Words base_;
};

}  // namespace

std::vector<Relation> behaviour(Prober& p, const Contract& claim, int reruns) {
    Relations all(p, claim);
    std::vector<Relation> out;
    if (!all.begin()) return out;
    const auto relation = [&](std::string name, std::string what, std::string_view field) {
        out.push_back({std::move(name), std::move(what), true, all.claimed(field), false, "", 0, ""});
        return &out.back();
    };
    out.reserve(8);
    auto* r = relation("rerun", fmt::format("{} runs of {} rows", reruns, Relations::distinct), "rerun");
    for (int k = 1; k < reruns; ++k) all.hold(*r, all.lay(Relations::distinct, 0), 0, fmt::format("run {}", k + 1));
    r = relation("threads", "1, 2, 3, 4 and 8 threads granted", "rerun");
    for (const std::uint32_t n : {1u, 2u, 3u, 4u, 8u}) {
        Tensors t = all.lay(Relations::distinct, 0);
        t.threads = n;
        all.hold(*r, t, 0, fmt::format("{} threads", n));
    }
    r = relation("batch", "T = 1, 2, 255, 256, 257; every position", "batch");
    for (const std::int64_t n : {1, 2, 255, 256, 257})
        for (const std::int64_t shift : {0, 17}) {
            all.hold(*r, all.lay(n, shift), shift, fmt::format("T = {}", n));
            if (!r->held && r->line.empty()) r->line = fmt::format("rows={}", n);
        }
    for (std::int64_t shift = 1; shift < Relations::distinct; ++shift) all.hold(*r, all.lay(1, shift), shift, fmt::format("T = 1, row {}", shift));
    r = relation("align", "offsets 0 to 15 elements", "align");
    for (std::int64_t k = 0; k < 16; ++k) {
        all.hold(*r, all.lay(Relations::distinct, 0, 0, k), 0, fmt::format("offset {}", k));
        if (!r->held && r->line.empty()) r->line = fmt::format("offset={}", k);
    }
    r = relation("stride", "rows 1, 8 and 576 elements further apart than d", "stride");
    for (const std::int64_t gap : {1, 8, 576}) {
        all.hold(*r, all.lay(Relations::distinct, 0, gap), 0, fmt::format("row stride d + {}", gap));
        if (!r->held && r->line.empty()) r->line = fmt::format("ld={}", p.d() + gap);
    }
    Tensors t = all.lay(Relations::distinct, 0);
    t.contract.inplace = InPlace::must;
    r = relation("alias", t.find("residual_out") ? "y in x's memory, residual_out in residual's" : "y in x's memory", "");
    r->claimed = claim.inplace != InPlace::never;
    r->skipped = t.find("x")->type != t.find("y")->type;
    if (r->skipped) r->finding = "y is of another type than x, and cannot stand in its memory";
    all.hold(*r, t, 0, "in place");
    return out;
}

}  // namespace ulpgate
