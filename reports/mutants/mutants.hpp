// How well faults are named, measured: every listed fault under arithmetics that the diagnosis does not know, kernels that
// keep their contract, and kernels by hand whose faults are not listed. `ulpgate doctor --mutants`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/explain/mutants.hpp"
#include "properties/explain/unlisted.hpp"

namespace ulpgate {

struct MutantPlan {
    std::vector<Type> types;
    std::vector<std::int64_t> d;
    bool sample = false;  // each fault under one arithmetic a type and d, in turn, instead of under all
    int jobs = 1;
    std::string home;     // where the kernels by hand and their sidecars lie
};

struct MutantReport {
    std::string error;  // a sidecar that cannot be read
    std::vector<MutantCell> faults, honest;
    std::vector<ScoredKernel> byhand;
    std::vector<std::int64_t> d;
    double seconds = 0;  // wall clock
    int jobs = 1;
    bool sample = false;
};
MutantReport measure_mutants(const MutantPlan&, const std::function<void(std::size_t done, std::size_t of)>& progress);

struct Floor {
    std::string what, measured;
    bool held = false;
};
std::vector<Floor> floors(const MutantReport&);

// The whole as Markdown: a line a fault, the floors, what was not named, what could not show, the kernels by hand one by one.
std::string mutants_markdown(const MutantReport&);
// Totals and floors, and every cell that breaks one.
std::string mutants_text(const MutantReport&);

}  // namespace ulpgate
