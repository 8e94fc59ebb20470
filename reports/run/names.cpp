#include "reports/run/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

bool equal(const Model& m, const Slice& s) {
    const auto out = m.run(s.tensors);
    for (std::size_t k = 0; k < s.tensors.all.size(); ++k)
        if (s.tensors.all[k].spec->name == "y") return same(s.tensors.all[k].type, out[k], s.y);
    return false;
}

// How a kernel may compute without being at fault: orders, forms of the root, FMA.
std::vector<std::string> ways() {
    std::vector<std::string> out;
    for (const Order* o : orders::all())
        for (const char* form : {"", ",rsqrt_form=recip_sqrt"})
            for (const char* fma : {"", ",fma"}) out.push_back(fmt::format(",order={}{}{}", o->name, fma, form));
    return out;
}

struct Hypothesis {
    const Fault* fault;
    std::string text;
    Model model;
};

// One a fault: the first way in which it reproduces the narrow slice.
std::vector<Hypothesis> survivors(const Claim& claim, const Slice& s) {
    std::vector<Hypothesis> out;
    const auto all = ways();
    for (const Fault* f : faults::all())
        for (const auto& way : all) {
            Model m;
            const auto text = fmt::format("{}{},fault={}", print(claim[0]), way, f->kind);
            if (parse(text, m) || !equal(m, s)) continue;
            out.push_back({f, text, m});
            break;
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
    if (const Contract* c = computes(g)) return fix_for_contract(g, *c);
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
    for (const auto& h : survivors(g.claim, narrow)) {
        if (!std::all_of(slices.begin(), slices.end(), [&](const Slice& s) { return equal(h.model, s); })) continue;
        g.names.push_back(std::string(h.fault->kind));
        g.explained.push_back(fmt::format("{}: {}: equal bit for bit in {} of {} rows", h.fault->kind, h.fault->line, rows, rows));
        if (g.fix.empty()) g.fix = std::string(h.fault->fix);
    }
}

}  // namespace ulpgate
