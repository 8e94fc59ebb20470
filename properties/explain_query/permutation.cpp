#include "properties/explain_query/permutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ulpgate {
namespace {

using Map = std::map<std::int64_t, std::int64_t>;  // what stands at a place: which one it is

// A function of one index alone?
template <class At, class From>
bool separate(const std::vector<Moved>& moved, At at, From from, Map& out) {
    return std::all_of(moved.begin(), moved.end(), [&](const Moved& m) {
        const auto [known, fresh] = out.try_emplace(at(m.at), from(m.from));
        return fresh || known->second == from(m.from);
    });
}

template <class F>
bool is(const Map& m, F f) {
    return std::all_of(m.begin(), m.end(), [&](const auto& p) { return p.second == f(p.first); });
}

// In words; "" for the identity. n: how many there are.
std::string words(const Map& m, std::int64_t n, const char* what) {
    if (m.empty() || is(m, [](std::int64_t k) { return k; })) return "";
    const auto first = m.begin()->second;
    if (is(m, [&](std::int64_t) { return first; })) return fmt::format("all {} hold number {}", what, first);
    if (is(m, [&](std::int64_t k) { return n - 1 - k; })) return fmt::format("{} are reversed", what);
    const std::int64_t shift = ((first - m.begin()->first) % n + n) % n;
    if (is(m, [&](std::int64_t k) { return (k + shift) % n; })) return fmt::format("{} are moved round by {}: {} holds {}", what, shift, m.begin()->first, first);
    if (is(m, [&](std::int64_t k) { return k ^ 1; })) return fmt::format("neighbouring {} are exchanged", what);
    if (n % 2 == 0 && is(m, [&](std::int64_t k) { return k < n / 2 ? 2 * k : 2 * (k - n / 2) + 1; })) return fmt::format("{} are de-interleaved: even ones come first", what);
    if (n % 2 == 0 && is(m, [&](std::int64_t k) { return k % 2 ? n / 2 + k / 2 : k / 2; })) return fmt::format("{} are interleaved: both halves in turn", what);
    std::string some;
    int shown = 0;
    for (const auto& [at, from] : m)
        if (at != from && shown++ < 4) some += fmt::format("{}{} holds {}", some.empty() ? "" : ", ", at, from);
    return fmt::format("{} are permuted: {}{}", what, some, shown > 4 ? ", ..." : "");
}

}  // namespace

std::string permutation_words(const std::vector<Moved>& moved, std::int64_t tokens, std::int64_t heads, std::int64_t columns, std::int64_t nope) {
    const auto token = [](const Place& p) { return p.token; };
    const auto head = [](const Place& p) { return p.head; };
    const auto column = [](const Place& p) { return p.column; };
    if (moved.empty()) return "";
    Map t, h, c;
    if (separate(moved, token, token, t) && separate(moved, head, head, h) && separate(moved, column, column, c)) {
        if (c.size() == static_cast<std::size_t>(columns) && is(c, [&](std::int64_t k) { return (k + columns - nope) % columns; }) && nope != columns) return "q_pe comes first";
        std::string s;
        for (const auto& part : {words(t, tokens, "tokens"), words(h, heads, "heads"), words(c, columns, "columns")})
            if (!part.empty()) s += (s.empty() ? "" : "; ") + part;
        return s;
    }
    const auto all = [&](auto f) { return std::all_of(moved.begin(), moved.end(), f); };
    if (all([](const Moved& m) { return m.from == Place{m.at.head, m.at.token, m.at.column}; })) return "heads and positions are exchanged";
    if (tokens > 1 && all([&](const Moved& m) { return m.from.column == m.at.column && m.from.token * heads + m.from.head == m.at.head * tokens + m.at.token; }))
        return "heads and positions are swapped at T > 1: rows stand in the order [token, head], not [head, token]";
    if (all([&](const Moved& m) { return m.from.token == m.at.token && m.from.column * heads + m.from.head == m.at.head * columns + m.at.column; }))
        return "columns and heads are exchanged: a row of q_b is read as [column, head], not [head, column]";
    return "";
}

}  // namespace ulpgate
