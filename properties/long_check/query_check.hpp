// The long check of the query path: kernels that honour their contract, drawn by number; none may be inadmissible. Types, maps,
// weights, biases, rotary forms, absorption, shapes, profiles and orders of summation, with taps and without.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ulpgate::long_check {

struct QueryTask {
    std::string line;   // a case
    std::string order;  // of both projections
};
QueryTask draw_query(std::uint64_t task);

struct StageCount {
    std::int64_t outputs = 0, at_most_two = 0, untold = 0;  // untold: wider than a quarter of the value
};

struct QueryRecord {
    std::uint64_t tasks = 0;
    std::int64_t outputs = 0;
    std::map<std::string, StageCount> stages;  // "bf16 q_a", "bf16 q_a, tensor cores"; from h to q without taps: "bf16 q"
    std::vector<std::string> findings;

    void step();  // the next task
    std::string to_json(const std::string& commit, double seconds) const;
};

}  // namespace ulpgate::long_check
