// Kernels restated: how one that ships, or one of ours, computes its statistic, as a model's text. One small file each.
// With a contract it is a model that gives the kernel's outputs bit for bit; those of the built-in kernels are held to
// that by properties/relations/restated_test.cpp.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "reference/base/piece.hpp"
#include "reference/model/model.hpp"

namespace ulpgate {

struct Restatement {
    std::string_view name;      // of the built-in kernel where it is one: "avx2"
    std::string_view contract;  // what it computes, as a contract's text; of several entries, the first
    std::string_view model;     // what the contract leaves open, as a model's fields: "order=masked:8x4,fma"
    std::string_view what;      // whose kernel, and where its source says so
    std::string (*order)(const Contract&, std::int64_t d) = nullptr;  // where the order depends on them; null: as `model` says
};

std::string model_text(const Restatement&);
// The same for another entry of the kernel, at width d; 0: of those whose order depends on it, the one at the entry's usual.
std::string model_text(const Restatement&, const Contract& entry, std::int64_t d = 0);

namespace restated {
std::span<const Restatement* const> all();
}
const Restatement* find_restatement(std::string_view name);

}  // namespace ulpgate
