// safetensors files: 8-byte little-endian header length, a JSON header, raw little-endian data. Reading believes nothing:
// the header is at most 100 MB, keys are unique, every tensor's bytes fit its shape and type, and the tensors
// cover the data without overlap or hole. A name with control characters is refused: it would reach terminals.
// Format: https://github.com/huggingface/safetensors (README, "Format").
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"

namespace ulpgate {

struct StoredTensor {
    std::string name;
    std::string dtype;  // as in the file: "BF16", "F32", "F64", ...
    Type type = Type::none;  // none: a type that ulpgate does not compute with
    std::vector<std::int64_t> shape;
    std::size_t begin = 0, end = 0;  // in SafeTensors::data

    std::int64_t count() const;
};

struct SafeTensors {
    std::string error;  // "" or what is wrong and where; everything else is then empty
    std::vector<StoredTensor> tensors;           // in the file's order of names
    std::map<std::string, std::string> metadata; // "__metadata__"
    std::vector<std::byte> data;

    const StoredTensor* find(std::string_view name) const;
    const std::byte* bytes_of(const StoredTensor& t) const { return data.data() + t.begin; }
};

SafeTensors read_safetensors(const std::string& path);
SafeTensors parse_safetensors(std::string_view file);  // the whole file's bytes

struct TensorToStore {
    std::string name;
    Type type;
    std::vector<std::int64_t> shape;
    const std::byte* data;
};
// Writes to a temporary name beside `path`, then renames. "" or what went wrong.
std::string write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                              const std::map<std::string, std::string>& metadata);

}  // namespace ulpgate
