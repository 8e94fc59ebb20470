#include "reports/json/in.hpp"

#include <limits>

#include "reference/base/hexfloat.hpp"
#include "reference/base/text.hpp"

namespace ulpgate::json {

double In::number() const {
    if (j_->is_string()) {
        const auto s = text();
        if (s == "nan") return std::numeric_limits<double>::quiet_NaN();
        if (s == "inf") return std::numeric_limits<double>::infinity();
        if (s == "-inf") return -std::numeric_limits<double>::infinity();
    }
    need(j_->is_number(), "a number, \"inf\", \"-inf\" or \"nan\"");
    return j_->get<double>();
}

float In::hex() const {
    const auto v = read_float(text());
    if (!v) fail("a hex float is needed");
    return static_cast<float>(*v);
}

std::uint32_t In::bits() const {
    std::uint32_t w = 0;
    if (!parse_integer(text(), w, 16)) fail("a word in hexadecimal is needed");
    return w;
}

Claim In::claim() const {
    Claim c;
    const auto s = text();
    if (s.empty()) return c;
    if (const auto bad = parse(s, c)) fail(fmt::format("'{}' is no contract: {}", s, bad->what));
    return c;
}

Contract In::contract() const {
    auto c = claim();
    if (c.empty()) fail("a contract is needed");
    return c[0];
}

int In::octave() const {
    if (!j_->is_string()) return static_cast<int>(integer());
    if (text() != "zero") fail("a whole number or \"zero\" is needed");
    return zero_row;
}

Verdict In::verdict() const {
    const auto s = text();
    for (int k = 0; k <= static_cast<int>(Verdict::skipped); ++k)
        if (name(static_cast<Verdict>(k)) == s) return static_cast<Verdict>(k);
    fail(fmt::format("'{}' is no verdict", s));
}

Type In::type() const {
    const auto s = text();
    for (const Type t : {Type::none, Type::i8, Type::i64, Type::fp16, Type::f32, Type::bf16, Type::e4m3})
        if (name(t) == s) return t;
    fail(fmt::format("'{}' is no type", s));
}

std::vector<In> In::list() const {
    need(j_->is_array(), "a list");
    std::vector<In> out;
    for (std::size_t k = 0; k < j_->size(); ++k) out.emplace_back((*j_)[k], fmt::format("{}[{}]", where_, k));
    return out;
}

}  // namespace ulpgate::json
