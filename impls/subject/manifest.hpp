// DIR/manifest.json: cases that were written out as safetensors so that any language, framework or machine can compute
// them. `ulpgate export` writes it, `ulpgate gate files:DIR` reads it.
//
//   {"schema": "ulpgate.export/1", "cases": [{"case": LINE, "hash": "16 hex digits", "types": "bf16",
//     "inputs": "000.safetensors", "outputs": "out/000.safetensors"}]}
//
// An inputs file holds the op's inputs by name (x, w, ...), contiguous, and in its metadata: case, op, eps (hex float).
// An outputs file holds y (and residual_out), and may say in its metadata who made it: name, version, contract.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ulpgate {

struct ManifestCase {
    std::string line;
    std::uint64_t hash = 0;
    std::string types;  // the contract text of its types alone: "bf16" or "bf16,w=f32,y=bf16"
    std::string inputs, outputs;
};
struct Manifest {
    std::string error;
    std::vector<ManifestCase> cases;
};

Manifest read_manifest(const std::string& dir);
// Its text; path: as messages name it.
Manifest parse_manifest(const std::string& text, const std::string& path);
// Replaces DIR/manifest.json whole; "" or what went wrong.
std::string write_manifest(const std::string& dir, const std::vector<ManifestCase>& cases);

}  // namespace ulpgate
