#include "fuzz/minimise/minimise.hpp"

#include <algorithm>
#include <map>

#include "properties/cases/values.hpp"

namespace ulpgate::fuzzing {
namespace {

using Words = std::vector<std::uint32_t>;

Words words_of(const Tensor& t, std::int64_t row) {
    Words w(static_cast<std::size_t>(t.width()));
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = t.word(t.row_at(row) + static_cast<std::int64_t>(j));
    return w;
}

Words expand(const Program& p, std::int64_t d) {
    Words w(static_cast<std::size_t>(d), p.fill.value_or(0));
    for (const Segment& s : p.segments)
        for (std::int64_t k = 0; k < s.count; ++k)
            w[static_cast<std::size_t>(s.start + k * s.stride)] = s.words[static_cast<std::size_t>(k) % s.words.size()];
    return w;
}

class Minimiser {
  public:
    Minimiser(Case c, int tries, const StillFails& fails) : best_(std::move(c)), left_(tries), fails_(fails) {}

    bool accept(const Case& c) {
        if (left_ <= 0 || c == best_) return false;
        if (!misfit(c).what.empty()) return false;
        --left_;
        ++tried;
        if (!fails_(c)) return false;
        best_ = c;
        return true;
    }
    const Case& best() const { return best_; }
    bool more() const { return left_ > 0; }
    int tried = 0;

  private:
    Case best_;
    int left_;
    const StillFails& fails_;
};

template <class Change>
bool attempt(Minimiser& m, Change change) {
    Case c = m.best();
    change(c);
    return m.accept(c);
}

void plain_keys(Minimiser& m) {
    attempt(m, [](Case& c) { c.batch = c.tokens = 1; });
    attempt(m, [](Case& c) { c.ld = c.yld = c.col = c.offset = 0; });
    attempt(m, [](Case& c) { c.yld = 0; });
    attempt(m, [](Case& c) { c.ld = c.col = 0; });
    attempt(m, [](Case& c) { c.offset = 0; });
    attempt(m, [](Case& c) { c.threads = 1; });
    attempt(m, [](Case& c) { c.eps = 1e-6; });
    attempt(m, [](Case& c) { c.op = "q_a_layernorm"; });
    attempt(m, [](Case& c) {
        if (c.claim[0].gain != Gain::none) c.gain = "ones", c.w_program = {};
    });
    for (std::int64_t rows = m.best().batch * m.best().tokens / 2; rows > 1; rows /= 2)
        attempt(m, [rows](Case& c) { c.batch = 1, c.tokens = rows; });
    attempt(m, [](Case& c) { c.seed = 0; });
}

// One program of a case, by member.
using Member = Program Case::*;

void narrower(Minimiser& m, std::int64_t d_min, std::int64_t divisor) {
    const auto cut = [&](std::int64_t d) {
        return attempt(m, [d](Case& c) {
            for (const Member p : {&Case::program, &Case::w_program, &Case::residual_program}) {
                if (!(c.*p).fill) continue;
                Words w = expand(c.*p, c.d);
                w.resize(static_cast<std::size_t>(d));
                c.*p = program_of(w);
            }
            c.d = d;
            if (c.ld) c.ld = std::max(c.ld, d + c.col);
        });
    };
    // Bisection towards the smallest width that still fails; then a few steps below it.
    std::int64_t lo = d_min, hi = m.best().d;
    if (m.more() && hi > lo && cut(lo)) return;
    while (m.more() && hi - lo > divisor) {
        const std::int64_t mid = (lo + hi) / 2 / divisor * divisor;
        if (mid <= lo) break;
        if (cut(mid)) hi = mid;
        else lo = mid;
    }
}

// Blocks of columns to the fill value, halving the blocks.
void fewer_columns(Minimiser& m, Member which) {
    if (!(m.best().*which).fill) return;
    for (std::int64_t block = std::max<std::int64_t>(1, m.best().d / 2); block >= 1 && m.more(); block /= 2) {
        for (std::int64_t at = 0; at < m.best().d && m.more(); at += block) {
            Words w = expand(m.best().*which, m.best().d);
            const std::uint32_t fill = *(m.best().*which).fill;
            const auto from = w.begin() + at, to = w.begin() + std::min<std::int64_t>(at + block, m.best().d);
            if (std::all_of(from, to, [fill](auto v) { return v == fill; })) continue;
            std::fill(from, to, fill);
            attempt(m, [&](Case& c) { c.*which = program_of(w); });
        }
        if (block == 1) break;
    }
}

// Each value to 0, 1, its power of two, a shorter significand.
void plainer_values(Minimiser& m, Member which, Type t) {
    if (!(m.best().*which).fill) return;
    const Words all = expand(m.best().*which, m.best().d);
    std::map<std::uint32_t, int> distinct;
    for (const auto w : all) ++distinct[w];
    if (distinct.size() > 16) return;
    for (const auto& entry : distinct) {
        const std::uint32_t word = entry.first;
        const auto plainer = with_format(t, [word](auto f) -> Words {
            const std::uint32_t mantissa = (1u << f.mantissa_bits) - 1;
            Words out{0, static_cast<std::uint32_t>(f.encode(1.0f)), word & ~mantissa & f.abs_mask, word & ~mantissa};
            for (std::uint32_t keep = mantissa; keep; keep = keep << 1 & mantissa) out.push_back(word & ~(mantissa & ~keep));
            std::reverse(out.begin() + 4, out.end());
            return out;
        });
        for (const auto p : plainer) {
            if (p == word || !m.more()) continue;
            if (attempt(m, [&](Case& c) {
                    Words w = expand(c.*which, c.d);
                    std::replace(w.begin(), w.end(), word, p);
                    c.*which = program_of(w);
                }))
                break;
        }
    }
}

}  // namespace

Program program_of(const std::vector<std::uint32_t>& words) {
    Program p;
    std::map<std::uint32_t, std::size_t> count;
    for (const auto w : words) ++count[w];
    p.fill = 0;
    std::size_t most = 0;
    for (const auto& [w, n] : count)
        if (n > most) most = n, p.fill = w;
    for (std::size_t j = 0; j < words.size();) {
        if (words[j] == *p.fill) {
            ++j;
            continue;
        }
        Segment s;
        s.start = static_cast<std::int64_t>(j);
        std::size_t same = j;
        while (same < words.size() && words[same] == words[j]) ++same;
        if (same - j > 1) {
            s.count = static_cast<std::int64_t>(same - j);
            s.words = {words[j]};
        } else {  // words in a row, each on its own
            while (j < words.size() && words[j] != *p.fill && (j + 1 == words.size() || words[j + 1] != words[j])) s.words.push_back(words[j++]);
            s.count = static_cast<std::int64_t>(s.words.size());
            same = j;
        }
        p.segments.push_back(std::move(s));
        j = same;
    }
    return p;
}

Case written_out(const Case& c, const Tensors& t, std::int64_t row) {
    Case out = c;
    out.profile.clear();
    out.file.clear();
    out.row = -1;
    out.h = 0;
    out.batch = out.tokens = 1;
    out.program = program_of(words_of(*t.find("x"), row));
    if (const auto* w = t.find("w")) out.w_program = program_of(words_of(*w, 0)), out.gain.clear();
    if (const auto* r = t.find("residual")) out.residual_program = program_of(words_of(*r, row));
    return out;
}

Minimised minimise(const Case& c, std::int64_t row, std::int64_t d_min, std::int64_t d_divisor, int tries, const StillFails& fails) {
    Case start = c;
    start.row = -1;
    start.h = 0;
    Minimiser m(start, tries, fails);
    plain_keys(m);
    for (const std::int64_t r : {row, std::int64_t{0}}) {
        const Made made = make(m.best());
        if (!made.error.empty() || r < 0 || r >= made.tensors.find("x")->rows()) continue;
        const Case written = written_out(m.best(), made.tensors, r);
        if (written.program.segments.size() > most_segments || written.w_program.segments.size() > most_segments ||
            written.residual_program.segments.size() > most_segments)
            continue;
        if (m.accept(written)) break;
    }
    const Contract& k = c.claim[0];
    if (m.best().program.fill) narrower(m, d_min, d_divisor);
    for (int before = -1; m.more() && before != m.tried && m.best().program.fill;) {
        before = m.tried;
        const Case was = m.best();
        fewer_columns(m, &Case::program);
        fewer_columns(m, &Case::residual_program);
        fewer_columns(m, &Case::w_program);
        attempt(m, [](Case& b) {
            if (b.claim[0].gain != Gain::none) b.gain = "ones", b.w_program = {};
        });
        plainer_values(m, &Case::program, k.x);
        if (k.residual != Residual::none) plainer_values(m, &Case::residual_program, k.res);
        if (k.gain != Gain::none) plainer_values(m, &Case::w_program, k.w);
        if (m.best() == was) break;
    }
    return {m.best(), m.tried};
}

}  // namespace ulpgate::fuzzing
