#include "properties/order/named.hpp"

#include <algorithm>

#include "reference/base/rng.hpp"

namespace ulpgate {
namespace {

constexpr std::uint64_t stream = 0x6f726472;
constexpr int sizes[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 320, 384, 512, 768, 1024};

std::vector<OrderParams> parameters(const Order& o) {
    const auto n = o.params.empty() ? 0 : std::count(o.params.begin(), o.params.end(), 'x') + 1;
    std::vector<OrderParams> out;
    if (n == 0) out.push_back({});
    for (const int a : sizes) {
        if (n == 1) out.push_back({a, 0, 0});
        if (n == 2)
            for (const int b : sizes)
                if (a * b <= 65536) out.push_back({a, b, 0});
    }
    return out;
}

std::vector<char> kept(std::span<const int> columns, std::int64_t d) {
    std::vector<char> k(static_cast<std::size_t>(d));
    for (const int c : columns) k[static_cast<std::size_t>(c)] = 1;
    return k;
}

std::uint64_t hash(const Tree& t) { return t.root == Tree::none ? 0 : t.hashes()[static_cast<std::size_t>(t.root)]; }

// One in the column that is to join last, 2^-12 in the other two: the sum exceeds 1 iff those meet first.
class Row {
  public:
    explicit Row(std::int64_t d) : x_(static_cast<std::size_t>(d)) {}
    template <class Sum>
    bool exceeds(const Three& c, int last, Sum sum) {
        put(c, last, 1);
        const float s = sum(x_);
        put(c, last, 0);
        return s > 1;
    }

  private:
    void put(const Three& c, int last, float on) {
        for (int k = 0; k < 3; ++k) x_[static_cast<std::size_t>(c[static_cast<std::size_t>(k)])] = k == last ? on : on * 0x1p-12f;
    }
    std::vector<float> x_;
};

std::vector<Answer> answers_of(const Tree& t, std::span<const int> columns, std::int64_t d) {
    std::vector<Answer> out;
    if (columns.size() < 3) return out;
    Row row(d);
    const auto n = static_cast<std::uint32_t>(columns.size());
    for (int k = 0; k < 12; ++k) {
        Rng rng(5, stream, static_cast<std::uint64_t>(k));
        // neighbours in the list, and far ones
        const auto a = rng.below(n), b = (a + 1 + rng.below(k % 2 ? n - 2 : std::min(n - 2, 16u))) % n, c = (b + 1 + rng.below(n - 2)) % n;
        if (a == b || b == c || a == c) continue;
        const Three three{columns[a], columns[b], columns[c]};
        for (int last = 0; last < 3; ++last)
            if (row.exceeds(three, last, [&](const std::vector<float>& x) { return t.sum(x, false); })) out.push_back({three, last});
    }
    return out;
}

}  // namespace

std::vector<NamedTree> named_trees(std::span<const Answer> answers, std::span<const int> columns, std::int64_t d) {
    std::vector<NamedTree> out;
    if (std::any_of(answers.begin(), answers.end(), [](const Answer& a) { return a.last == 3; })) return out;  // its nodes have two parts
    Row row(d);
    const auto gives = [&](std::span<const Answer> some, auto sum) {
        return std::all_of(some.begin(), some.end(), [&](const Answer& a) { return row.exceeds(a.columns, a.last, sum); });
    };
    const auto few = answers.first(std::min<std::size_t>(answers.size(), 16));  // what most orders fail
    const auto keep = kept(columns, d);
    std::vector<std::uint64_t> seen;
    for (const Order* o : orders::all())
        for (const auto& p : parameters(*o)) {
            if (!gives(few, [&](const std::vector<float>& x) { return o->f32({x.data()}, x.size(), p); })) continue;
            Tree t;
            t.root = o->tree({&t, keep}, keep.size(), p);
            if (t.root == Tree::none) continue;
            const auto h = hash(t);
            const auto at = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), h) - seen.begin());
            if (at == seen.size()) seen.push_back(h), out.push_back({std::move(t), {}});
            out[at].orders.push_back({o, p});
        }
    const auto differs = [&](const NamedTree& n) { return !gives(answers, [&](const std::vector<float>& x) { return n.tree.sum(x, false); }); };
    out.erase(std::remove_if(out.begin(), out.end(), differs), out.end());
    for (NamedTree& n : out)
        std::stable_sort(n.orders.begin(), n.orders.end(), [](const OrderChoice& a, const OrderChoice& b) {
            const auto rank = [](const OrderChoice& c) { return std::pair(std::count_if(c.p.begin(), c.p.end(), [](int v) { return v != 0; }), c.text().size()); };
            return rank(a) < rank(b);
        });
    return out;
}

std::vector<OrderChoice> orders_of(const Tree& t, std::span<const NamedTree> some) {
    if (t.root == Tree::none || !t.binary()) return {};
    const auto at = std::find_if(some.begin(), some.end(), [h = hash(t)](const NamedTree& n) { return hash(n.tree) == h; });
    return at == some.end() ? std::vector<OrderChoice>{} : at->orders;
}

std::vector<OrderChoice> named_orders(const Tree& t, std::span<const int> columns, std::int64_t d) {
    if (t.root == Tree::none || !t.binary()) return {};
    return orders_of(t, named_trees(answers_of(t, columns, d), columns, d));
}

}  // namespace ulpgate
