// A fault is one changed piece of a model. One small file each; `fix` is what a kernel author reads.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/model.hpp"

namespace ulpgate {

struct Fault {
    std::string_view kind;  // "eps.outside"; the file is eps_outside.cpp
    Stage stage{};
    std::string_view line;                              // the changed line, as a formula
    std::string_view param;                             // name of the parameter, "" without one
    std::string_view fix;                               // what to change
    double (*default_param)(std::int64_t d) = nullptr;  // null: no parameter
    void (*change)(Model&) = nullptr;
    // Why no output can change under this contract, "" where one can; null: it always can.
    std::string_view (*invisible)(const Contract&) = nullptr;
    // The contract, less its type, of the model that the kind alone stands for.
    std::string_view base = "cast_first";
    std::initializer_list<Stage> also{};  // further stages that it changes
    std::string_view needs{};             // what an input must hold to show it; "": ordinary rows do
    // Under by=div the statistic is the rms s, not r: what line and fix say then, "" where they stay.
    std::string_view line_by_div{}, fix_by_div{};

    std::string_view line_under(By by) const { return by == By::div && !line_by_div.empty() ? line_by_div : line; }
    std::string_view fix_under(By by) const { return by == By::div && !fix_by_div.empty() ? fix_by_div : fix; }
};

// Whether both can be in one model: they change no stage in common.
bool combine(const Fault&, const Fault&);

// Shared reason: T is f32, so that rounding to T is the identity.
inline std::string_view identity_in_f32(const Contract& c) {
    return c.x == Type::f32 ? "T is f32: the line is the identity" : "";
}
// Shared reason: neither n nor y has a type that f32 is rounded to.
inline std::string_view nothing_narrowed(const Contract& c) {
    const bool narrowed = c.y != Type::f32 || (c.map == Map::cast_first && c.x != Type::f32);
    return narrowed ? "" : "T is f32: nothing is rounded to a 16-bit type";
}

namespace faults {
std::span<const Fault* const> all();
}
const Fault* find_fault(std::string_view kind);

// The faults that a model's text names; kinds that are not listed are left out.
std::vector<const Fault*> faults_of(const Model&);

// Applies the fault with its default parameter, or with p, beside those the model has.
void apply(const Fault&, Model&, double p = std::numeric_limits<double>::quiet_NaN());
void set_parameter(const Fault&, Model&, double p);
// "eps.value:1e-05", "eps.outside"
std::string text(const Fault&, double p);

}  // namespace ulpgate
