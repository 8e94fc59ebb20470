// Real activations as cases: rows and gains from a safetensors file. A norm NAME is the pair NAME.x [..., d] and NAME.w [d]
// (or x and w alone); NAME.w may be absent. The file's metadata "eps" (hex float or decimal), where there, is the norm's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/cases/case.hpp"

namespace ulpgate {

struct Activations {
    std::string error;          // "" or what is wrong, where, and what to do
    std::int64_t rows = 0, d = 0;
    Type type = Type::none;     // as stored; the values below are exact
    std::vector<float> x, w;    // rows * d; d, or empty
    std::optional<double> eps;  // of the file's metadata
};

// file: PATH@NAME, or PATH where the file holds one norm. A PATH that is a plain file name and not found in the working
// folder is looked up in the folder activations/ beside the program: the file that ships with ulpgate.
Activations load_activations(const std::string& file);

// That folder instead: where this program is not ulpgate itself.
void look_for_activations_in(std::string folder);

// One case a norm of the file, all its rows: op/type/d with the file's eps. Norms of another width than `d` (0: any) are left
// out. The error names the file and what it should hold.
struct ActivationCases {
    std::string error;
    std::vector<Case> cases;
};
ActivationCases activation_cases(const std::string& path, std::string_view op, const Claim& claim, std::int64_t d = 0);

// The name of the file that ships with ulpgate: captured by properties/activations/capture_smollm2.py.
inline constexpr std::string_view bundled_activations = "smollm2-135m.safetensors";

}  // namespace ulpgate
