#include "properties/cases/export.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "impls/subject/manifest.hpp"
#include "reference/base/hexfloat.hpp"
#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

std::vector<std::byte> contiguous(const Tensor& t) {
    const auto row = static_cast<std::size_t>(t.width() * bytes(t.type));
    std::vector<std::byte> out(static_cast<std::size_t>(t.rows()) * row);
    for (std::int64_t r = 0; r < t.rows(); ++r)
        std::memcpy(out.data() + static_cast<std::size_t>(r) * row, t.storage.data() + t.row_at(r) * bytes(t.type), row);
    return out;
}

// The tensors there are and their types: what is asked of whoever computes the outputs. How, is theirs to say.
std::string types_of(const Contract& c) {
    Contract asked = default_contract(c.x);
    asked.w = c.w;
    asked.y = c.y;
    asked.res = c.res;
    asked.gain = c.gain;
    asked.beta = c.beta;
    asked.rstd = c.rstd;
    asked.residual = c.residual;
    return print(asked);
}

std::string write_inputs(const std::string& path, const Tensors& t, const std::string& line) {
    std::vector<std::vector<std::byte>> held;
    std::vector<TensorToStore> tensors;
    for (const Tensor& v : t.all) {
        if (!v.spec->input()) continue;
        held.push_back(contiguous(v));
        tensors.push_back({std::string(v.spec->name), v.type, {v.size.begin(), v.size.begin() + v.rank}, nullptr});
    }
    for (std::size_t k = 0; k < tensors.size(); ++k) tensors[k].data = held[k].data();
    return write_safetensors(path, tensors, {{"case", line}, {"op", std::string(t.op->name)}, {"eps", hexfloat(t.eps)}});
}

}  // namespace

std::string export_cases(const std::string& dir, const std::vector<Case>& cases) {
    namespace fs = std::filesystem;
    std::error_code ec;
    if (fs::exists(dir + "/manifest.json", ec)) return dir + ": holds an export already: name a new folder, or remove it";
    fs::create_directories(dir + "/out", ec);
    if (ec) return fmt::format("{}: {}", dir, ec.message());
    std::vector<ManifestCase> manifest;
    for (const Case& c : cases) {
        Case stamped = c;
        const Made made = make(c);
        if (!made.error.empty()) return print(c) + ": " + made.error;
        stamped.h = made.tensors.hash();
        const auto file = fmt::format("{:03}.safetensors", manifest.size());
        if (auto e = write_inputs(dir + "/" + file, made.tensors, print(stamped)); !e.empty()) return e;
        manifest.push_back({print(stamped), stamped.h, types_of(made.tensors.contract), file, "out/" + file});
    }
    return write_manifest(dir, manifest);
}

}  // namespace ulpgate
