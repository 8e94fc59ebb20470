#include "properties/reduce/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "properties/cases/values.hpp"
#include "reference/base/hexfloat.hpp"

namespace ulpgate {
namespace {

class Reducer {
  public:
    Reducer(const StillFails& fails, const ReduceOptions& o, Type x, Type w, Reduced& out) : fails_(fails), options_(o), x_type_(x), w_type_(w), out_(out) {}

    bool any(std::vector<std::vector<float>> candidates, std::size_t& which) {
        if (candidates.empty() || out_.calls >= options_.most_calls) return false;
        std::vector<float> rows;
        for (const auto& c : candidates) rows.insert(rows.end(), c.begin(), c.end());
        ++out_.calls;
        out_.rows += static_cast<std::int64_t>(candidates.size());
        const auto bad = fails_(rows, out_.w);
        for (which = 0; which < bad.size(); ++which)
            if (bad[which]) return true;
        return false;
    }

    // The gain to one in every column at once.
    void gain() {
        if (out_.w.empty()) return;
        auto kept = out_.w;
        std::fill(out_.w.begin(), out_.w.end(), 1.0f);
        std::size_t k = 0;
        if (!any({out_.x}, k)) out_.w = std::move(kept);
    }

    // ddmin: drop a part, or all but a part, of the columns that are not zero; parts ever smaller.
    void columns() {
        std::size_t parts = 2;
        for (;;) {
            std::vector<std::size_t> on;
            for (std::size_t j = 0; j < out_.x.size(); ++j)
                if (out_.x[j] != 0 || std::isnan(out_.x[j])) on.push_back(j);
            if (on.size() < 2 || out_.calls >= options_.most_calls) return;
            parts = std::min(parts, on.size());
            std::vector<std::vector<float>> tries;
            std::vector<bool> is_part;
            for (const bool keep : {true, false})  // the part alone, then all but it
                for (std::size_t p = 0; p < parts; ++p) {
                    auto x = out_.x;
                    for (std::size_t k = 0; k < on.size(); ++k)
                        if ((k * parts / on.size() == p) != keep) x[on[k]] = 0;
                    tries.push_back(std::move(x));
                    is_part.push_back(keep);
                }
            // several calls: a part of many rows
            bool found = false;
            constexpr std::size_t a_call = 128;
            for (std::size_t at = 0; at < tries.size() && !found; at += a_call) {
                const auto end = std::min(tries.size(), at + a_call);
                std::size_t k = 0;
                if (any({tries.begin() + static_cast<std::ptrdiff_t>(at), tries.begin() + static_cast<std::ptrdiff_t>(end)}, k)) {
                    out_.x = tries[at + k];
                    parts = is_part[at + k] ? 2 : std::max<std::size_t>(parts - 1, 2);
                    found = true;
                }
            }
            if (found) continue;
            if (parts >= on.size()) return;
            parts *= 2;
        }
    }

    // Simpler values of one column, the simplest first: 1, its power of two, its integer, fewer bits.
    static std::vector<float> simpler(Type t, float v) {
        std::vector<float> out;
        if (v == 0 || !std::isfinite(v)) return {v};
        const float sign = std::signbit(v) ? -1.0f : 1.0f;
        const int e = std::ilogb(v);
        for (const float s : {1.0f, sign}) {
            out.push_back(s);
            out.push_back(std::ldexp(s, e));
        }
        for (const int bits : {1, 2, 3, 5}) out.push_back(std::ldexp(std::nearbyint(std::ldexp(v, bits - e)), e - bits));
        std::erase_if(out, [&](float c) { return round_to(t, c) != c || c == 0; });
        out.push_back(v);
        return out;
    }

    void values() {
        auto& x = out_.x;
        for (std::size_t how = 0; how < 6; ++how) {  // the same candidate in every column at once
            auto tried = x;
            for (auto& v : tried) {
                const auto s = simpler(x_type_, v);
                v = s[std::min(how, s.size() - 1)];
            }
            std::size_t k = 0;
            if (tried != x && any({tried}, k)) {
                x = tried;
                break;
            }
        }
        for (std::size_t j = 0; j < x.size() && out_.calls < options_.most_calls; ++j) {
            if (x[j] == 0) continue;
            std::vector<std::vector<float>> tries;
            for (const float v : simpler(x_type_, x[j])) {
                if (v == x[j]) break;
                tries.push_back(x);
                tries.back()[j] = v;
            }
            std::size_t k = 0;
            if (any(tries, k)) x = tries[k];
        }
    }

    void run() {
        std::size_t k = 0;
        out_.failed = any({out_.x}, k);
        if (!out_.failed) return;
        gain();
        columns();
        values();
        columns();
        gain_of_the_rest();
    }

    // Where x is zero the gain says nothing; where it is not, the simplest that fails.
    void gain_of_the_rest() {
        if (out_.w.empty()) return;
        const auto attempt = [&](std::vector<float> w) {
            std::swap(w, out_.w);
            std::size_t k = 0;
            if (any({out_.x}, k)) return true;
            std::swap(w, out_.w);
            return false;
        };
        auto w = out_.w;
        for (std::size_t j = 0; j < w.size(); ++j)
            if (out_.x[j] == 0) w[j] = 1;
        if (w != out_.w) attempt(w);
        for (std::size_t j = 0; j < w.size() && out_.calls < options_.most_calls; ++j) {
            if (out_.x[j] == 0) continue;
            for (const float v : simpler(w_type_, out_.w[j])) {
                if (v == out_.w[j]) break;
                auto tried = out_.w;
                tried[j] = v;
                if (attempt(tried)) break;
            }
        }
    }

  private:
    const StillFails& fails_;
    const ReduceOptions& options_;
    Type x_type_, w_type_;
    Reduced& out_;
};

std::uint32_t most_common(std::span<const std::uint32_t> words) {
    std::map<std::uint32_t, int> n;
    std::uint32_t best = words.empty() ? 0 : words[0];
    for (const auto w : words)
        if (++n[w] > n[best]) best = w;
    return best;
}

// Runs of one word, and words in a row, where the fill does not do.
Program program_of(Type t, std::span<const float> v) {
    std::vector<std::uint32_t> words;
    for (const float x : v) words.push_back(encode(t, x));
    Program p;
    p.fill = most_common(words);
    for (std::size_t j = 0; j < words.size();) {
        if (words[j] == *p.fill) {
            ++j;
            continue;
        }
        std::size_t end = j;
        while (end < words.size() && words[end] == words[j]) ++end;
        Segment s{static_cast<std::int64_t>(j), 1, static_cast<std::int64_t>(end - j), {words[j]}};
        if (end - j == 1) {  // a run of different words
            while (end < words.size() && words[end] != *p.fill) ++end;
            s.count = static_cast<std::int64_t>(end - j);
            s.words.assign(words.begin() + static_cast<std::ptrdiff_t>(j), words.begin() + static_cast<std::ptrdiff_t>(end));
        }
        p.segments.push_back(std::move(s));
        j = end;
    }
    return p;
}

std::string words_of(const char* name, std::span<const float> v) {
    std::map<float, std::vector<std::size_t>> by_value;
    std::string nan;
    for (std::size_t j = 0; j < v.size(); ++j) {
        if (std::isnan(v[j])) nan += fmt::format("{}NaN at {}", nan.empty() ? "" : ", ", j);
        else by_value[v[j]].push_back(j);
    }
    const std::vector<std::size_t>* most = nullptr;
    float elsewhere = 0;
    for (const auto& [value, at] : by_value)
        if (!most || at.size() > most->size()) most = &at, elsewhere = value;
    std::string s;
    std::size_t shown = 0;
    for (const auto& [value, at] : by_value) {
        if (value == elsewhere || shown++ > 8) continue;
        s += fmt::format("{}{} at {}", s.empty() ? "" : ", ", hexfloat(static_cast<double>(value)), at.size() > 6 ? fmt::format("{} columns", at.size()) : fmt::format("{}", fmt::join(at, " ")));
    }
    if (!nan.empty()) s += (s.empty() ? "" : ", ") + nan;
    if (!most) return fmt::format("{} = {}", name, s);
    return s.empty() ? fmt::format("{} = {}", name, hexfloat(static_cast<double>(elsewhere))) : fmt::format("{} = {}, {} elsewhere", name, s, hexfloat(static_cast<double>(elsewhere)));
}

}  // namespace

std::optional<Case> segment_case(const Case& like, std::span<const float> x, std::span<const float> w) {
    Case c;
    c.op = like.op;
    c.claim = like.claim;
    c.d = static_cast<std::int64_t>(x.size());
    c.eps = like.eps;
    c.program = program_of(c.claim[0].x, x);
    if (c.program.segments.size() > most_segments) return {};
    if (!w.empty()) {
        c.w_program = program_of(c.claim[0].w, w);
        if (c.w_program.segments.size() > most_segments) return {};
    }
    return c;
}

Reduced reduce(const Case& like, std::vector<float> x, std::vector<float> w, const StillFails& fails, const ReduceOptions& o) {
    Reduced out;
    out.x = std::move(x);
    out.w = std::move(w);
    Reducer(fails, o, like.claim[0].x, like.claim[0].w, out).run();
    out.nonzero = std::count_if(out.x.begin(), out.x.end(), [](float v) { return v != 0; });
    if (const auto c = segment_case(like, out.x, out.w)) out.line = print(*c);
    out.text = words_of("x", out.x) + (out.w.empty() ? "" : "; " + words_of("w", out.w));
    return out;
}

}  // namespace ulpgate
