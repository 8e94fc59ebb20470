#include "reference/faults/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpgate {
namespace {

bool changes(const Fault& f, Stage s) {
    return f.stage == s || std::find(f.also.begin(), f.also.end(), s) != f.also.end();
}

}  // namespace

const Fault* find_fault(std::string_view kind) {
    for (const Fault* f : faults::all())
        if (f->kind == kind) return f;
    return nullptr;
}

bool combine(const Fault& a, const Fault& b) {
    for (std::size_t s = 0; s < stages; ++s)
        if (changes(a, static_cast<Stage>(s)) && changes(b, static_cast<Stage>(s))) return false;
    return true;
}

std::vector<const Fault*> faults_of(const Model& m) {
    std::vector<const Fault*> out;
    for (const auto token : split(m.fault, '+'))
        if (const Fault* f = find_fault(token.substr(0, token.find(':')))) out.push_back(f);
    return out;
}

void apply(const Fault& f, Model& m, double p) {
    f.change(m);
    for (std::size_t s = 0; s < stages; ++s)
        if (changes(f, static_cast<Stage>(s))) m.parameters[s] = {p, f.default_param};
    m.fault += (m.fault.empty() ? "" : "+") + text(f, p);
}

void set_parameter(const Fault& f, Model& m, double p) {
    for (std::size_t s = 0; s < stages; ++s)
        if (changes(f, static_cast<Stage>(s))) m.parameters[s].p = p;
}

std::string text(const Fault& f, double p) {
    return std::isnan(p) ? std::string(f.kind) : fmt::format("{}:{:.9g}", f.kind, p);
}

}  // namespace ulpgate
