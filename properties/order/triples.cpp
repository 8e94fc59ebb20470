#include "properties/order/triples.hpp"

#include <algorithm>
#include <deque>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x74726970;
constexpr int random_triples = 128;

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
    Finder(Prober& p, const Reading& r, TreeFinding& out) : p_(p), r_(r), out_(out) {}

    void run(std::span<const int> columns) {
        out_.tree.root = Tree::none;
        if (!columns_enter(columns)) return;
        triples(columns);
        if (out_.strange) return;
        tasks_.push_back({columns[0], {columns.begin() + 1, columns.end()}});
        for (std::size_t from = 0; from < tasks_.size() && !out_.strange && p_.error.empty();) {
            const auto to = tasks_.size();
            split(from, to);
            from = to;
        }
        if (out_.strange || !p_.error.empty()) return;
        out_.tree.root = chain(0, out_.tree.leaf(columns[0]));
    }

  private:
    std::vector<std::uint32_t> ask(const std::vector<Probe>& rows) {
        out_.probes += static_cast<std::int64_t>(rows.size());
        return p_.ask(rows, r_.eps);
    }
    int read(std::uint32_t w) {
        if (w == r_.more) return 1;
        if (w != r_.same) ++out_.strange;
        return 0;
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
    bool columns_enter(std::span<const int> columns) {
        const auto first = odd(columns, columns);
        std::vector<int> sound;
        for (const int c : columns)
            if (std::find(first.begin(), first.end(), c) == first.end()) sound.push_back(c);
        if (!first.empty()) out_.odd_columns = sound.size() < 3 ? first : odd(first, sound);  // beside columns that are sound
        return p_.error.empty() && out_.odd_columns.empty();
    }

    // In a binary tree exactly one of the three roles exceeds.
    void triples(std::span<const int> columns) {
        const auto n = static_cast<std::uint32_t>(columns.size());
        if (n < 3) return;
        std::vector<Probe> rows;
        std::vector<std::array<int, 3>> asked;
        for (int t = 0; t < random_triples; ++t) {
            Rng rng(3, stream, static_cast<std::uint64_t>(t));
            std::array<int, 3> c{};
            do
                for (int& v : c) v = columns[rng.below(n)];
            while (c[0] == c[1] || c[1] == c[2] || c[0] == c[2]);
            asked.push_back(c);
            for (std::size_t role = 0; role < 3; ++role) rows.push_back(triple_probe(r_, c[role], c[(role + 1) % 3], c[(role + 2) % 3]));
        }
        const auto y = ask(rows);
        for (std::size_t t = 0; t < asked.size() && !y.empty(); ++t) {
            int sum = 0;
            for (std::size_t role = 0; role < 3; ++role) {
                const int v = read(y[3 * t + role]);
                sum += v;
                out_.checks.push_back({asked[t][role], asked[t][(role + 1) % 3], asked[t][(role + 2) % 3], v == 1});
            }
            out_.multiway += sum == 3;
            out_.strange += sum != 1 && sum != 3;
        }
    }

    void split(std::size_t from, std::size_t to) {
        std::vector<Probe> rows;
        for (std::size_t t = from; t < to; ++t) {
            Task& k = tasks_[t];
            if (k.columns.empty()) continue;
            Rng rng(4, stream + 1, t);
            const auto at = rng.below(static_cast<std::uint32_t>(k.columns.size()));
            k.pivot = k.columns[at];
            k.columns.erase(k.columns.begin() + at);
            for (const int j : k.columns) {
                rows.push_back(triple_probe(r_, k.anchor, k.pivot, j));
                rows.push_back(triple_probe(r_, k.pivot, k.anchor, j));
            }
        }
        const auto y = rows.empty() ? std::vector<std::uint32_t>{} : ask(rows);
        if (y.empty() && !rows.empty()) return;
        std::size_t at = 0;
        for (std::size_t t = from; t < to; ++t) {
            if (tasks_[t].pivot < 0) continue;
            const int anchor = tasks_[t].anchor, pivot = tasks_[t].pivot;
            std::vector<int> near, same, more, far;
            for (const int j : tasks_[t].columns) {
                const int pivot_first = read(y[at]), anchor_first = read(y[at + 1]);
                at += 2;
                (pivot_first && anchor_first ? more : pivot_first ? same : anchor_first ? near : far).push_back(j);
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

    Prober& p_;
    const Reading& r_;
    TreeFinding& out_;
    std::deque<Task> tasks_;
};

}  // namespace

Probe triple_probe(const Reading& r, int i, int j, int k) { return {{{i, r.m}, {j, r.h}, {k, r.h}}, j}; }

TreeFinding find_tree(Prober& p, const Reading& r, std::span<const int> columns) {
    TreeFinding out;
    Finder(p, r, out).run(columns);
    return out;
}

}  // namespace ulpgate
