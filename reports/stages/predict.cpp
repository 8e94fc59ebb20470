#include "reports/stages/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/base/text.hpp"
#include "reference/maps/map.hpp"
#include "reference/orders/order.hpp"
#include "reference/restated/restated.hpp"

namespace ulpgate {
namespace {

constexpr std::size_t rows_first = 4;  // enough to turn most models down

// Rows of a case as floats: what a model needs and what the subject gave.
struct Row {
    std::vector<float> x, y;
    std::span<const float> w;
    double eps;
};
struct Rows {
    std::vector<std::vector<float>> gains;
    std::vector<Row> all;
};

Rows read(const std::vector<OutputsOf>& cases) {
    Rows out;
    out.gains.reserve(cases.size());
    for (const auto& c : cases) {
        const Tensors& t = *c.tensors;
        const Tensor *x = t.find("x"), *y = t.find("y"), *w = t.find("w");
        if (!x || !y || t.find("residual")) continue;
        const auto d = static_cast<std::size_t>(x->width());
        auto& gain = out.gains.emplace_back(w ? d : 0);
        if (w) w->read_row(0, gain);
        const auto at = static_cast<std::size_t>(y - t.all.data());
        for (std::int64_t i = 0; i < x->rows(); ++i) {
            Row r{std::vector<float>(d), std::vector<float>(d), gain, t.eps};
            x->read_row(i, r.x);
            unpack(y->type, c.outcome->out[at].data() + i * x->width() * bytes(y->type), r.y);
            out.all.push_back(std::move(r));
        }
    }
    return out;
}

bool equal(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

bool gives(const Model& m, const Row& r, std::vector<float>& y) {
    y.resize(r.y.size());
    m.row(r.x, r.w, r.eps, y);
    return std::equal(y.begin(), y.end(), r.y.begin(), equal);
}

bool gives_all(const Model& m, const Rows& rows) {
    std::vector<float> y;
    return !rows.all.empty() && std::all_of(rows.all.begin(), rows.all.end(), [&](const Row& r) { return gives(m, r, y); });
}

// "lanes:8x4" and its relatives: every parameter at powers of two about its default.
std::vector<std::string> order_texts() {
    std::vector<std::string> out;
    for (const Order* o : orders::all()) {
        out.emplace_back(o->name);
        if (o->params.empty()) continue;
        const auto many = std::count(o->params.begin(), o->params.end(), 'x') + 1;
        constexpr int values[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
        for (const int a : values)
            if (many == 1) out.push_back(fmt::format("{}:{}", o->name, a));
            else if (many == 2)
                for (const int b : {1, 2, 4, 8}) out.push_back(fmt::format("{}:{}x{}", o->name, a, b));
    }
    return out;
}

std::vector<std::string> model_texts(const std::string& subject, Contract c) {
    c.order = "any";
    c.mean = Mean::any;
    c.rsqrt = Contract{}.rsqrt;
    std::vector<std::string> out;
    if (const auto* own = find_restatement(subject)) out.push_back(model_text(*own, c));
    for (const auto* r : restated::all()) out.push_back(model_text(*r, c));
    const auto base = print(c);
    for (const auto& order : order_texts())
        for (const auto* fma : {"", ",fma"})
            for (const auto* mean : {"", ",mean=recip"})
                for (const auto* form : {"", ",rsqrt_form=recip_sqrt"}) out.push_back(fmt::format("{},order={}{}{}{}", base, order, mean, fma, form));
    return out;
}

}  // namespace

bool predicts(const Model& m, const std::vector<OutputsOf>& cases) { return gives_all(m, read(cases)); }

Prediction predict(const std::string& subject, const Contract& contract, const std::vector<OutputsOf>& cases) {
    Prediction p;
    const auto rows = read(cases);
    std::vector<float> y;
    int tried = 0, others = 0;
    for (const auto& text : model_texts(subject, contract)) {
        Model m;
        if (parse(text, m)) continue;  // a form that this map has not
        ++tried;
        const auto n = std::min(rows_first, rows.all.size());
        if (!std::all_of(rows.all.begin(), rows.all.begin() + static_cast<std::ptrdiff_t>(n), [&](const Row& r) { return gives(m, r, y); })) continue;
        if (!gives_all(m, rows)) continue;
        if (p.found) {
            ++others;
            continue;
        }
        p.found = true;
        p.model = m;
        p.text = text;
        if (find_restatement(subject) && tried == 1) break;  // its own: nothing to tell apart
    }
    if (!p.found) p.how = fmt::format("none of {} models gives its {} rows bit for bit", tried, rows.all.size());
    else p.how = fmt::format("equal bit for bit in {0} of {0} rows", rows.all.size());
    if (others) p.how += fmt::format("; so are {} others of {} tried: these rows do not tell them apart", others, tried);
    return p;
}

}  // namespace ulpgate
