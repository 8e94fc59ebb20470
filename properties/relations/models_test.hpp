// For properties over models: a model run on a case, and what the judge says of it.
#pragma once
#include <stdexcept>
#include <string>

#include "properties/cases/case.hpp"
#include "properties/judge/judge.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {

inline Case case_of(const std::string& line) {
    Case c;
    if (const auto bad = parse(line, c)) throw std::runtime_error(line + ": " + bad->what);
    return c;
}
inline Tensors tensors_of(const Case& c) {
    Made m = make(c);
    if (!m.error.empty()) throw std::runtime_error(print(c) + ": " + m.error);
    return std::move(m.tensors);
}
inline Model model_of(const std::string& text) {
    Model m;
    if (const auto bad = parse(text, m)) throw std::runtime_error(text + ": " + bad->what);
    return m;
}
inline Outcome run_model(const Model& m, const Tensors& t) {
    Outcome o;
    o.out = m.run(t);
    return o;
}
inline Verdict verdict_of(const Model& m, const Case& c) {
    const Tensors t = tensors_of(c);
    return judge(t, run_model(m, t), c.claim).verdict;
}

}  // namespace ulpgate
