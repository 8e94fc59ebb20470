// Cases as files: inputs that any language, framework or machine can compute, with the manifest of impls/subject/manifest.hpp.
#pragma once
#include <string>
#include <vector>

#include "properties/cases/case.hpp"

namespace ulpgate {

// Writes DIR/NNN.safetensors (the case's inputs, contiguous) for every case, then DIR/manifest.json; makes DIR and DIR/out.
// Refuses a folder that holds a manifest already. "" or what went wrong; files written before stay.
std::string export_cases(const std::string& dir, const std::vector<Case>& cases);

}  // namespace ulpgate
