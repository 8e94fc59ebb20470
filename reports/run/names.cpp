#include "reports/run/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "reference/faults/fault.hpp"
#include "reference/orders/order.hpp"

namespace ulpgate {
namespace {

// Some rows of a case, with what the subject made of them.
struct Slice {
    Tensors tensors;
    std::vector<std::byte> y;
    std::int64_t rows = 0;
};

Slice slice(const FailingCase& f, std::int64_t first, std::int64_t rows) {
    Sizes n = f.tensors.sizes;
    n[Dim::batch] = 1;
    n[Dim::tokens] = rows;
    f.tensors.op->derive(n);
    Slice s{lay_out(*f.tensors.op, f.tensors.contract, n), {}, rows};
    s.tensors.eps = f.tensors.eps;
    for (std::size_t k = 0; k < s.tensors.all.size(); ++k) {
        Tensor& to = s.tensors.all[k];
        const Tensor& from = f.tensors.all[k];
        const auto width = static_cast<std::size_t>(to.width() * bytes(to.type));
        if (to.spec->input()) {
            for (std::int64_t r = 0; r < to.rows(); ++r)
                std::memcpy(to.storage.data() + to.row_at(r) * bytes(to.type),
                            from.storage.data() + from.row_at(to.rows() == 1 && from.rows() == 1 ? 0 : first + r) * bytes(to.type), width);
        } else if (to.spec->name == "y") {
            const auto at = static_cast<std::size_t>(first) * width;
            s.y.assign(f.outcome.out[k].begin() + static_cast<std::ptrdiff_t>(at),
                       f.outcome.out[k].begin() + static_cast<std::ptrdiff_t>(at + width * static_cast<std::size_t>(rows)));
        }
    }
    return s;
}

// Bit for bit, one NaN as good as another.
bool same(Type t, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    if (a.size() != b.size()) return false;
    if (a == b) return true;
    const auto width = static_cast<std::size_t>(bytes(t));
    for (std::size_t at = 0; at < a.size(); at += width) {
        if (std::memcmp(&a[at], &b[at], width) == 0) continue;
        std::uint32_t v = 0, w = 0;
        std::memcpy(&v, &a[at], width);
        std::memcpy(&w, &b[at], width);
        const float p = decode(t, v), q = decode(t, w);
        if (p == p || q == q) return false;
    }
    return true;
}

// The kernel's r may differ from the model's by what the contract leaves open: the last bits of the sum and of the root.
constexpr int nudges[] = {0, 1, -1, 2, -2, 3, -3, 4, -4};
thread_local int nudge = 0;
thread_local float (*unnudged)(const Model&, float) = nullptr;

float nudged(const Model& m, float r) {
    const float towards = nudge < 0 ? 0.0f : std::numeric_limits<float>::infinity();
    for (int k = std::abs(nudge); k > 0; --k) r = std::nextafter(r, towards);
    return unnudged ? unnudged(m, r) : r;
}

// Every row has one r near the model's with which all its outputs are equal.
bool equal(Model m, const Slice& s) {
    std::size_t y = 0;
    while (s.tensors.all[y].spec->name != "y") ++y;
    const Type type = s.tensors.all[y].type;
    const auto bytes_of_row = static_cast<std::ptrdiff_t>(s.y.size()) / s.rows;
    std::vector<char> done(static_cast<std::size_t>(s.rows), 0);
    unnudged = m.scale;
    m.scale = nudged;
    for (int k : nudges) {
        nudge = k;
        const auto out = m.run(s.tensors);
        bool all = true;
        for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
            auto& ok = done[static_cast<std::size_t>(row)];
            const auto from = row * bytes_of_row, to = from + bytes_of_row;
            ok = ok || same(type, {out[y].begin() + from, out[y].begin() + to}, {s.y.begin() + from, s.y.begin() + to});
            all = all && ok;
        }
        if (all) return true;
    }
    return false;
}

struct Hypothesis {
    std::string kind, words, fix;
    Model model;
};

// Every fault of the bank, and tails of several columns, which the bank's one dropped column does not cover.
std::vector<Hypothesis> hypotheses(const Contract& claim, std::string_view order, std::int64_t d) {
    std::vector<Hypothesis> out;
    const auto claimed = print(claim, false);
    for (const Fault* f : faults::all()) {
        if (f->invisible && !f->invisible(claim).empty()) continue;
        Model m;
        const auto base = f->base == "cast_first" ? claimed : std::string(f->base);
        if (parse(fmt::format("{},{},order={},fault={}", name(claim.x), base, order, f->kind), m)) continue;
        out.push_back({std::string(f->kind), std::string(f->line), std::string(f->fix), m});
    }
    Model m;
    if (parse(fmt::format("{},{},order={}", name(claim.x), claimed, order), m)) return out;
    m.weight = [](std::int64_t j, std::int64_t, double first) { return static_cast<double>(j) < first ? 1 : 0; };
    for (std::int64_t k = 2; k <= std::min<std::int64_t>(d - 1, 64); ++k) {
        m.p = static_cast<double>(d - k);
        out.push_back({"lane.dropped", fmt::format("S leaves the last {} columns out", k), "sum the tail after the last whole vector too", m});
    }
    return out;
}

// One a kind: the first order in which it reproduces the narrow slice.
std::vector<Hypothesis> survivors(const Contract& claim, const Slice& s) {
    std::vector<Hypothesis> out;
    for (const Order* o : orders::all())
        for (auto& h : hypotheses(claim, o->name, s.tensors.find("x")->width())) {
            const bool found = std::any_of(out.begin(), out.end(), [&](const Hypothesis& k) { return k.kind == h.kind && k.words == h.words; });
            if (!found && equal(h.model, s)) out.push_back(std::move(h));
        }
    return out;
}

void fix_for_contract(Group& g, const Contract& c) {
    if (c.map == Map::f32_gain && g.claim[0].map == Map::cast_first)
        g.fix = fmt::format("round n to {} before the gain, or claim {}", name(g.type), print(c, false));
    else if (c.map == Map::cast_first && g.claim[0].map == Map::f32_gain)
        g.fix = fmt::format("keep n in float32 until the gain is in, or claim {}", print(c, false));
    else
        g.fix = fmt::format("claim {} if that is what it should compute", print(c, false));
}

}  // namespace

void name_failure(Group& g, const std::vector<FailingCase>& failing) {
    if (claims_nothing(g.claim) || failing.empty()) return;
    if (const auto c = computes(g); !c.empty()) return fix_for_contract(g, c[0]);
    // A narrow look first, then every survivor on more rows of every failing case.
    std::vector<Slice> slices;
    for (const auto& f : failing) {
        const auto rows = f.tensors.find("y")->rows();
        const auto row = std::clamp<std::int64_t>(f.witness_row, 0, rows - 1);
        const auto first = std::min(row, std::max<std::int64_t>(rows - rows_looked_at, 0));
        slices.push_back(slice(f, first, std::min(rows_looked_at, rows - first)));
    }
    const auto narrow = slice(failing[0], std::max<std::int64_t>(failing[0].witness_row, 0), 1);
    std::int64_t rows = 0;
    for (const auto& s : slices) rows += s.rows;
    for (const auto& h : survivors(g.claim[0], narrow)) {
        if (!std::all_of(slices.begin(), slices.end(), [&](const Slice& s) { return equal(h.model, s); })) continue;
        g.names.push_back(h.kind);
        g.explained.push_back(fmt::format("{}: {}: one r a row gives {} of {} rows bit for bit", h.kind, h.words, rows, rows));
        if (g.fix.empty()) g.fix = h.fix;
    }
}

}  // namespace ulpgate
