#include "reference/faults/subject_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reference/faults/fault.hpp"

namespace ulpgate {
namespace {

constexpr Type types[] = {Type::bf16, Type::fp16, Type::f32};

bool has_type(std::string_view text) {
    const auto first = text.substr(0, text.find(','));
    return std::any_of(std::begin(types), std::end(types), [&](Type t) { return name(t) == first; });
}

// A model's text put together, with the place of each part in what was given.
struct Composed {
    struct Part {
        std::size_t at, from;
        bool given;  // else all of it stands for the place `from`
    };
    std::string text;
    std::vector<Part> parts;

    void add(std::string_view s, std::size_t from, bool given = false) {
        parts.push_back({text.size(), from, given});
        text += s;
    }
    std::size_t place(std::size_t at) const {
        std::size_t found = 0;
        for (const Part& p : parts)
            if (p.at <= at) found = p.from + (p.given ? at - p.at : 0);
        return found;
    }
};

struct Split {
    std::string_view model, fault;
    std::size_t model_at = 0, fault_at = 0, end = 0;
    bool faulty = false;
    std::string_view base;  // what a faulty model without a map is
};

Split take_apart(std::string_view text) {
    Split s;
    s.end = text.size();
    const std::size_t prefix = text.starts_with("model/") ? 6 : text.starts_with("faulty/") ? 7 : 0;
    s.model = text.substr(prefix);
    s.model_at = prefix;
    const auto first = s.model.substr(0, s.model.find(','));
    const Fault* f = find_fault(first.substr(0, first.find_first_of(":+")));
    if (prefix == 6 || (prefix == 0 && !f)) return s;
    s.faulty = true;
    s.fault = first;
    s.fault_at = prefix;
    s.base = f ? f->base : "cast_first";
    s.model_at = std::min(prefix + first.size() + 1, text.size());
    s.model = text.substr(s.model_at);
    return s;
}

// type "": the text names its own.
Composed compose(const Split& s, std::string_view type) {
    Composed c;
    if (!type.empty()) c.add(type, s.model_at);
    if (!s.model.empty()) {
        if (!type.empty()) c.add(",", s.model_at);
        c.add(s.model, s.model_at, true);
    }
    const bool only_type = s.model.empty() || (type.empty() && s.model.find(',') == s.model.npos);
    if (only_type && s.faulty) c.add("," + std::string(s.base), s.end);
    if (s.faulty) {
        c.add(",fault=", s.fault_at);
        c.add(s.fault, s.fault_at, true);
    }
    return c;
}

}  // namespace

std::optional<ParseError> parse_subject(std::string_view text, SubjectModels& out) {
    const Split s = take_apart(text);
    SubjectModels found;
    std::vector<std::string_view> named;
    if (has_type(s.model))
        named = {""};
    else
        for (const Type t : types) named.push_back(name(t));
    for (const auto type : named) {
        const Composed c = compose(s, type);
        Model m;
        if (const auto bad = parse(c.text, m))
            return ParseError{std::min(c.place(bad->at), text.size()), bad->what};
        std::string reasons;  // of faults that change nothing; one that does is enough
        bool visible = m.fault.empty();
        for (const Fault* f : faults_of(m)) {
            const auto why = f->invisible ? f->invisible(m.contract) : "";
            visible = visible || why.empty();
            if (!why.empty()) reasons += fmt::format("{}{} changes nothing ({})", reasons.empty() ? "" : ", ", f->kind, why);
        }
        if (visible)
            found.models.push_back(std::move(m));
        else
            found.left_out += fmt::format("{}{} left out: {}", found.left_out.empty() ? "" : "; ",
                                          name(m.contract.x), reasons);
    }
    out = std::move(found);
    return {};
}

}  // namespace ulpgate
