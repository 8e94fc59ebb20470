#include "impls/cuda/launch/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ulpgate::launch {
namespace {

class Reader {
  public:
    Reader(std::string_view s, const Lookup& lookup) : s_(s), lookup_(lookup) {}
    std::int64_t run() {
        const auto v = comparison();
        skip();
        if (at_ != s_.size()) wrong(fmt::format("'{}' is too much", s_.substr(at_)));
        return v;
    }

  private:
    [[noreturn]] void wrong(const std::string& what) const { throw std::runtime_error(fmt::format("expression '{}', column {}: {}", s_, at_ + 1, what)); }
    void skip() {
        while (at_ < s_.size() && s_[at_] == ' ') ++at_;
    }
    bool eat(std::string_view t) {
        skip();
        if (s_.substr(at_, t.size()) != t) return false;
        at_ += t.size();
        return true;
    }
    std::int64_t comparison() {
        auto a = sum();
        for (;;) {
            if (eat("<=")) a = a <= sum();
            else if (eat(">=")) a = a >= sum();
            else if (eat("==")) a = a == sum();
            else if (eat("!=")) a = a != sum();
            else if (eat("<")) a = a < sum();
            else if (eat(">")) a = a > sum();
            else return a;
        }
    }
    std::int64_t sum() {
        auto a = product();
        for (;;) {
            bool over = false;
            if (eat("+")) over = __builtin_add_overflow(a, product(), &a);
            else if (eat("-")) over = __builtin_sub_overflow(a, product(), &a);
            else return a;
            if (over) wrong("the value does not fit in 64 bits");
        }
    }
    std::int64_t product() {
        auto a = factor();
        for (;;) {
            if (eat("*")) {
                if (__builtin_mul_overflow(a, factor(), &a)) wrong("the value does not fit in 64 bits");
            } else if (eat("/")) {
                a = divided(a, factor());
            } else if (eat("%")) {
                const auto b = factor();
                a -= divided(a, b) * b;
            } else {
                return a;
            }
        }
    }
    std::int64_t divided(std::int64_t a, std::int64_t b) const {
        if (b == 0) wrong("division by zero");
        if (b < 0 || a < 0) wrong("division of negative numbers");
        return a / b;
    }
    std::int64_t factor() {
        if (eat("-")) return -factor();
        if (eat("(")) {
            const auto v = comparison();
            if (!eat(")")) wrong("')' is missing");
            return v;
        }
        skip();
        const auto begin = at_;
        const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || (c >= '0' && c <= '9'); };
        while (at_ < s_.size() && in_name(s_[at_])) ++at_;
        const auto name = s_.substr(begin, at_ - begin);
        if (name.empty()) wrong("a number or a name is missing");
        if (name[0] >= '0' && name[0] <= '9') return number(name);
        return eat("(") ? function(name) : lookup_(name);
    }
    std::int64_t number(std::string_view text) const {
        std::int64_t v = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') wrong(fmt::format("'{}' is no number", text));
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, c - '0', &v)) wrong("the number does not fit in 64 bits");
        }
        return v;
    }
    std::int64_t function(std::string_view name) {
        const auto a = comparison();
        if (!eat(",")) wrong(fmt::format("{} takes two values", name));
        const auto b = comparison();
        if (!eat(")")) wrong("')' is missing");
        if ((name == "ceil" || name == "roundup") && (a < 0 || b < 1 || a > INT64_MAX - b)) wrong(fmt::format("{} of {} and {}", name, a, b));
        if (name == "min") return std::min(a, b);
        if (name == "max") return std::max(a, b);
        if (name == "ceil") return divided(a + b - 1, b);
        if (name == "roundup") return divided(a + b - 1, b) * b;
        wrong(fmt::format("no function '{}': there are min, max, ceil, roundup", name));
    }

    std::string_view s_;
    const Lookup& lookup_;
    std::size_t at_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view text, const Lookup& lookup) { return Reader(text, lookup).run(); }

}  // namespace ulpgate::launch
