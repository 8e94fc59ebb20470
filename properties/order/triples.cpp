#include "properties/order/triples.hpp"

#include <algorithm>
#include <deque>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x74726970;
constexpr int random_triples = 128;
constexpr std::size_t most_guesses = 4;

// Subtrees that hang off the path from `anchor` upwards, below where the task begins; or, of a siblings' task, parts of one
// node.
struct Task {
    int anchor;
    std::vector<int> columns;
    bool siblings = false;
    int pivot = -1;
    int near = -1, same = -1, more = -1, far = -1;  // tasks
};

class Finder {
  public:
    Finder(TripleAsker& asker, TreeFinding& out) : asker_(asker), out_(out) {}

    void run(std::span<const int> columns, const Guess& guess) {
        out_.tree.root = Tree::none;
        out_.odd_columns = asker_.odd(columns);
        if (asker_.failed() || !out_.odd_columns.empty()) return;
        triples(columns);
        if (out_.strange || (guess && !answers_.empty() && guessed(guess(answers_), columns.size()))) return;
        tasks_.push_back({columns[0], {columns.begin() + 1, columns.end()}});
        for (std::size_t from = 0; from < tasks_.size() && !out_.strange && !asker_.failed();) {
            const auto to = tasks_.size();
            split(from, to);
            from = to;
        }
        if (out_.strange || asker_.failed()) return;
        out_.tree.root = chain(0, out_.tree.leaf(columns[0]));
    }

  private:
    // In every tree exactly one of three columns joins last, or all three meet.
    void triples(std::span<const int> columns) {
        const auto n = static_cast<std::uint32_t>(columns.size());
        if (n < 3) return;
        std::vector<Three> asked;
        for (int t = 0; t < random_triples; ++t) {
            Rng rng(3, stream, static_cast<std::uint64_t>(t));
            Three c{};
            do
                for (int& v : c) v = columns[rng.below(n)];
            while (c[0] == c[1] || c[1] == c[2] || c[0] == c[2]);
            asked.push_back(c);
        }
        for (const int last : asker_.last(asked, true)) {
            answers_.push_back({asked[answers_.size()], last});
            out_.multiway += last == 3;
            out_.strange += last < 0;
        }
    }

    bool guessed(std::vector<Tree> trees, std::size_t n) {
        for (std::size_t k = 0; k < std::min(trees.size(), most_guesses) && !out_.guessed && !out_.strange && !asker_.failed(); ++k) {
            const Tree& t = trees[k];
            if (!t.binary() || static_cast<std::size_t>(t.node(t.root).leaves) != n) continue;
            const auto asked = certificate(t);
            const auto got = asker_.last(asked, true);
            for (const int last : got) out_.strange += last < 0;
            if (got.size() != asked.size() || std::any_of(got.begin(), got.end(), [](int last) { return last != 0; })) continue;
            out_.tree = std::move(trees[k]);
            out_.guessed = true;
        }
        return out_.guessed || out_.strange || asker_.failed();
    }

    void split(std::size_t from, std::size_t to) {
        std::vector<Three> rows;
        for (std::size_t t = from; t < to; ++t) {
            Task& k = tasks_[t];
            if (k.columns.empty()) continue;
            Rng rng(4, stream + 1, t);
            const auto at = rng.below(static_cast<std::uint32_t>(k.columns.size()));
            k.pivot = k.columns[at];
            k.columns.erase(k.columns.begin() + at);
            for (const int j : k.columns) rows.push_back({k.anchor, k.pivot, j});
        }
        const auto y = rows.empty() ? std::vector<int>{} : asker_.last(rows, false);
        if (y.empty() && !rows.empty()) return;
        std::size_t at = 0;
        for (std::size_t t = from; t < to; ++t) {
            if (tasks_[t].pivot < 0) continue;
            const int anchor = tasks_[t].anchor, pivot = tasks_[t].pivot;
            std::vector<int> near, same, more, far;
            for (const int j : tasks_[t].columns) {
                const int last = y[at++];
                out_.strange += last < 0;
                (last == 3 ? more : last == 0 ? same : last == 1 ? near : far).push_back(j);
            }
            if (tasks_[t].siblings && !(near.empty() && far.empty())) ++out_.strange;
            out_.multiway += static_cast<std::int64_t>(more.size());
            const auto add = [&](int a, std::vector<int> columns, bool siblings) {
                if (columns.empty()) return -1;
                tasks_.push_back({a, std::move(columns), siblings});
                return static_cast<int>(tasks_.size()) - 1;
            };
            const int n = add(anchor, std::move(near), false), s = add(pivot, std::move(same), false), m = add(anchor, std::move(more), true),
                      f = add(anchor, std::move(far), false);
            Task& k = tasks_[t];
            k.near = n, k.same = s, k.more = m, k.far = f;
        }
    }

    // The path of a task with its subtrees, on top of `node`.
    int chain(int task, int node) {
        if (task < 0) return node;
        const Task& t = tasks_[static_cast<std::size_t>(task)];
        node = chain(t.near, node);
        std::vector<int> parts{node};
        add_parts(task, parts);
        node = out_.tree.join(parts);
        return chain(t.far, node);
    }
    void add_parts(int task, std::vector<int>& parts) {
        const Task& t = tasks_[static_cast<std::size_t>(task)];
        const int pivot = t.pivot, same = t.same, more = t.more;
        const int leaf = out_.tree.leaf(pivot);
        parts.push_back(chain(same, leaf));
        if (more >= 0) add_parts(more, parts);
    }

    TripleAsker& asker_;
    TreeFinding& out_;
    std::vector<Answer> answers_;
    std::deque<Task> tasks_;
};

int some_column(const Tree& t, int node, Rng& rng) {
    while (!t.is_leaf(node)) node = t.parts(node)[rng.below(static_cast<std::uint32_t>(t.parts(node).size()))];
    return t.node(node).column;
}

// Through r of a norm's row: M and two of a little less than half its ulp.
class SquareAsker final : public TripleAsker {
  public:
    SquareAsker(Prober& p, const Reading& r) : p_(p), r_(r) {}
    bool failed() const override { return !p_.error.empty(); }

    std::vector<int> last(std::span<const Three> triples, bool roles) override {
        std::vector<Probe> rows;
        const std::size_t each = roles ? 3 : 2;
        for (const Three& c : triples)
            for (std::size_t role = 0; role < each; ++role) rows.push_back(triple_probe(r_, c[role], c[(role + 1) % 3], c[(role + 2) % 3]));
        const auto y = ask(rows);
        std::vector<int> out;
        for (std::size_t t = 0; t < triples.size() && !y.empty(); ++t) {
            int sum = 0, at = 2;
            bool known = true;
            for (std::size_t role = 0; role < each; ++role) {
                const auto w = y[each * t + role];
                known &= w == r_.more || w == r_.same;
                if (w == r_.more) ++sum, at = static_cast<int>(role);
            }
            const bool all = sum == static_cast<int>(each);
            out.push_back(!known || (roles && sum != 1 && !all) ? -1 : all ? 3 : at);
        }
        return out;
    }

    std::vector<int> odd(std::span<const int> columns) override {
        const auto first = odd(columns, columns);
        std::vector<int> sound;
        for (const int c : columns)
            if (std::find(first.begin(), first.end(), c) == first.end()) sound.push_back(c);
        return first.empty() || sound.size() < 3 ? first : odd(first, sound);  // beside columns that are sound
    }

  private:
    std::vector<std::uint32_t> ask(const std::vector<Probe>& rows) {
        probes += static_cast<std::int64_t>(rows.size());
        return p_.ask(rows, r_.eps);
    }
    // Which of these columns do not answer as every column of a sum does: with M, and with what makes M + ulp(M). `others`
    // stand beside them.
    std::vector<int> odd(std::span<const int> columns, std::span<const int> others) {
        std::vector<Probe> rows;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            int beside[2], n = 0;
            for (std::size_t j = 1; n < 2 && j <= others.size(); ++j)
                if (const int o = others[(k + j) % others.size()]; o != columns[k]) beside[n++] = o;
            if (n < 2) return {};
            rows.push_back({{{columns[k], r_.m}, {beside[0], r_.h}}, beside[0]});
            rows.push_back({{{beside[1], r_.m}, {columns[k], r_.g}, {beside[0], r_.h}}, beside[0]});
        }
        const auto y = ask(rows);
        std::vector<int> out;
        for (std::size_t k = 0; k < y.size(); k += 2)
            if (y[k] != r_.same || y[k + 1] != r_.more) out.push_back(columns[k / 2]);
        return out;
    }

    Prober& p_;
    const Reading& r_;
};

}  // namespace

std::vector<Three> certificate(const Tree& t) {
    std::vector<Three> out;
    Rng rng(6, stream + 2, 0);
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto parts = t.parts(static_cast<int>(k));
        for (std::size_t side = 0; parts.size() == 2 && side < 2; ++side) {
            if (t.is_leaf(parts[side])) continue;
            const auto below = t.parts(parts[side]);
            out.push_back({some_column(t, parts[1 - side], rng), some_column(t, below[0], rng), some_column(t, below[1], rng)});
        }
    }
    return out;
}

TreeFinding find_tree(TripleAsker& asker, std::span<const int> columns, const Guess& guess) {
    TreeFinding out;
    Finder(asker, out).run(columns, guess);
    out.probes = asker.probes;
    return out;
}

TreeFinding find_tree(Prober& p, const Reading& r, std::span<const int> columns, const Guess& guess) {
    SquareAsker asker(p, r);
    return find_tree(asker, columns, guess);
}

Probe triple_probe(const Reading& r, int i, int j, int k) { return {{{i, r.m}, {j, r.h}, {k, r.h}}, j}; }

}  // namespace ulpgate
