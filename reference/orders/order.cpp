#include "reference/orders/order.hpp"

#include <cstdint>

#include "reference/base/text.hpp"

namespace ulpgate {

namespace {
constexpr int most_partials = 1 << 16;  // as many columns as a row may have: more would only be empty
}

std::optional<OrderChoice> find_order(std::string_view text) {
    const auto colon = text.find(':');
    for (const Order* o : orders::all()) {
        if (o->name != text.substr(0, colon)) continue;
        const auto given = colon == text.npos ? o->defaults : text.substr(colon + 1);
        const auto wanted = split(o->defaults, 'x'), fields = split(given, 'x');
        OrderChoice c{o, {}};
        if (o->defaults.empty()) return given.empty() ? std::optional(c) : std::nullopt;
        if (fields.size() != wanted.size()) return {};
        std::int64_t partials = 1;
        for (std::size_t k = 0; k < fields.size(); ++k) {
            if (!parse_integer(fields[k], c.p[k]) || c.p[k] < 1 || c.p[k] > most_partials) return {};
            partials *= c.p[k];
        }
        return partials <= most_partials ? std::optional(c) : std::nullopt;
    }
    return {};
}

std::string OrderChoice::text() const {
    std::string v;
    for (std::size_t k = 0; k < p.size() && p[k]; ++k) v += (k ? "x" : "") + std::to_string(p[k]);
    return std::string(order->name) + (v == order->defaults ? "" : ":" + v);
}

}  // namespace ulpgate
