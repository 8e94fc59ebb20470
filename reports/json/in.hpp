// A value of a JSON file and where it stands: every reader says what it needs in words.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result/result.hpp"

namespace ulpgate::json {

using Json = nlohmann::ordered_json;

struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class In {
  public:
    In(const Json& j, std::string where) : j_(&j), where_(std::move(where)) {}

    In operator[](std::string_view key) const {
        need(j_->is_object(), "an object");
        const auto it = j_->find(key);
        if (it == j_->end()) fail(fmt::format("'{}' is missing", key));
        return {*it, where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key)};
    }
    bool has(std::string_view key) const { return j_->is_object() && j_->contains(key) && !(*j_)[std::string(key)].is_null(); }
    bool null() const { return j_->is_null(); }

    std::string text() const {
        need(j_->is_string(), "a string");
        return j_->get<std::string>();
    }
    std::string text_or_nothing() const { return null() ? "" : text(); }
    bool truth() const {
        need(j_->is_boolean(), "true or false");
        return j_->get<bool>();
    }
    std::int64_t integer() const {
        need(j_->is_number_integer(), "a whole number");
        return j_->get<std::int64_t>();
    }
    std::uint64_t word() const {
        need(j_->is_number_integer(), "a whole number");
        return j_->get<std::uint64_t>();
    }
    double number() const;
    std::vector<In> list() const;
    std::vector<std::string> texts() const {
        std::vector<std::string> out;
        for (const auto& e : list()) out.push_back(e.text());
        return out;
    }
    std::vector<std::int64_t> integers() const {
        std::vector<std::int64_t> out;
        for (const auto& e : list()) out.push_back(e.integer());
        return out;
    }
    float hex() const;
    std::uint32_t bits() const;
    Claim claim() const;
    Contract contract() const;
    int octave() const;
    Verdict verdict() const;
    Type type() const;
    [[noreturn]] void fail(const std::string& what) const { throw Unreadable(fmt::format("{}{}{}", where_, where_.empty() ? "" : ": ", what)); }

  private:
    void need(bool ok, std::string_view what) const {
        if (!ok) fail(fmt::format("{} is needed", what));
    }
    const Json* j_;
    std::string where_;
};

// Tables of analyses and maxima (read_tables.cpp).
StageTable stages(const In&);
EpsTable eps(const In&);
Maximum maximum(const In&);

}  // namespace ulpgate::json
