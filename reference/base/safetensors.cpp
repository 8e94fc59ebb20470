#include "reference/base/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "reference/base/file.hpp"

namespace ulpgate {
namespace {

using nlohmann::json;
constexpr std::uint64_t header_cap = 100'000'000;

struct Dtype {
    std::string_view name;
    int bytes;
    Type type;
};
constexpr std::array<Dtype, 16> dtypes{{{"BF16", 2, Type::bf16},
                                        {"F16", 2, Type::fp16},
                                        {"F32", 4, Type::f32},
                                        {"F8_E4M3", 1, Type::e4m3},
                                        {"I8", 1, Type::i8},
                                        {"I64", 8, Type::i64},
                                        {"F64", 8, Type::none},
                                        {"F8_E5M2", 1, Type::none},
                                        {"F8_E8M0", 1, Type::none},
                                        {"BOOL", 1, Type::none},
                                        {"U8", 1, Type::none},
                                        {"I16", 2, Type::none},
                                        {"U16", 2, Type::none},
                                        {"I32", 4, Type::none},
                                        {"U32", 4, Type::none},
                                        {"U64", 8, Type::none}}};

// A name in an error: control characters would reach the terminal.
std::string in_quotes(std::string_view name) {
    std::string s = "'";
    for (const char c : name.substr(0, 160)) {
        constexpr char hex[] = "0123456789abcdef";
        const auto u = static_cast<unsigned char>(c);
        if (u >= 32 && u != 127) s += c;
        else s += {'\\', 'x', hex[u >> 4], hex[u & 15]};
    }
    return s + (name.size() > 160 ? "...'" : "'");
}

bool has_control(std::string_view s) {
    return std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

// The header with every object's keys checked to be unique: the JSON library keeps the last of two silently.
json parse_header(std::string_view text, std::string& error) {
    std::vector<std::set<std::string>> open;
    std::string twice;
    const auto callback = [&](int depth, json::parse_event_t event, json& value) {
        if (depth > 16 && twice.empty()) twice = "nested deeper than 16";
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second && twice.empty())
            twice = "key " + in_quotes(value.get<std::string>()) + " stands twice";
        return true;
    };
    json header;
    try {
        header = json::parse(text, callback);
    } catch (const json::exception& e) {
        const auto words = in_quotes(e.what());
        error = "the header is not JSON: " + words.substr(1, words.size() - 2);
        return {};
    }
    if (!twice.empty()) error = "header: " + twice;
    else if (!header.is_object()) error = "the header is not a JSON object";
    return header;
}

bool natural(const json& v, std::uint64_t& out) {
    if (!v.is_number_unsigned()) return false;
    out = v.get<std::uint64_t>();
    return out < (std::uint64_t{1} << 62);
}

std::string read_entry(const std::string& name, const json& v, std::uint64_t data_bytes, StoredTensor& t) {
    const auto bad = [&](const std::string& what) { return "tensor " + in_quotes(name) + ": " + what; };
    t.name = name;
    if (has_control(name)) return bad("its name holds control characters");
    if (!v.is_object() || !v.contains("dtype") || !v.contains("shape") || !v.contains("data_offsets"))
        return bad("needs dtype, shape and data_offsets");
    if (!v["dtype"].is_string()) return bad("dtype is not a string");
    t.dtype = v["dtype"].get<std::string>();
    const auto d = std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& e) { return e.name == t.dtype; });
    if (d == dtypes.end()) return bad("unknown dtype " + in_quotes(t.dtype));
    t.type = d->type;
    if (!v["shape"].is_array()) return bad("shape is not a list");
    std::uint64_t count = 1;
    for (const auto& s : v["shape"]) {
        std::uint64_t n;
        if (!natural(s, n)) return bad("a size in its shape is not a non-negative integer");
        if (n && count > (std::uint64_t{1} << 48) / n) return bad("its shape is too large");
        count *= n;
        t.shape.push_back(static_cast<std::int64_t>(n));
    }
    const auto& o = v["data_offsets"];
    std::uint64_t begin, end;
    if (!o.is_array() || o.size() != 2 || !natural(o[0], begin) || !natural(o[1], end))
        return bad("data_offsets is not two non-negative integers");
    if (begin > end || end > data_bytes)
        return bad("data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] lie outside the file's " +
                   std::to_string(data_bytes) + " bytes of data");
    if (end - begin != count * static_cast<std::uint64_t>(d->bytes))
        return bad("its shape and dtype need " + std::to_string(count * static_cast<std::uint64_t>(d->bytes)) +
                   " bytes, data_offsets give " + std::to_string(end - begin));
    t.begin = begin;
    t.end = end;
    return "";
}

// The tensors lie side by side and cover the data: no overlap, no hole, nothing behind the last (the format's rule: bytes that
// no tensor owns could hold another file).
std::string covers(const std::vector<StoredTensor>& tensors, std::size_t bytes) {
    std::vector<const StoredTensor*> by_place;
    for (const auto& t : tensors) by_place.push_back(&t);
    std::sort(by_place.begin(), by_place.end(), [](auto* a, auto* b) { return std::tie(a->begin, a->end) < std::tie(b->begin, b->end); });
    std::size_t at = 0;
    const StoredTensor* before = nullptr;
    for (const auto* t : by_place) {
        if (t->begin < at) return "tensors " + in_quotes(before->name) + " and " + in_quotes(t->name) + " overlap";
        if (t->begin > at) return std::to_string(t->begin - at) + " bytes before tensor " + in_quotes(t->name) + " belong to no tensor";
        at = t->end;
        before = t;
    }
    return at == bytes ? "" : std::to_string(bytes - at) + " bytes behind the last tensor belong to no tensor";
}

SafeTensors failed(std::string what) {
    SafeTensors s;
    s.error = std::move(what);
    return s;
}

}  // namespace

std::int64_t StoredTensor::count() const {
    std::int64_t n = 1;
    for (auto s : shape) n *= s;
    return n;
}

const StoredTensor* SafeTensors::find(std::string_view name) const {
    for (const auto& t : tensors)
        if (t.name == name) return &t;
    return nullptr;
}

SafeTensors parse_safetensors(std::string_view file) {
    if (file.size() < 8) return failed("shorter than the 8 bytes of its header length: not a safetensors file");
    std::uint64_t length = 0;
    for (int k = 8; k--;) length = length << 8 | static_cast<unsigned char>(file[static_cast<std::size_t>(k)]);
    if (length > header_cap)
        return failed("header of " + std::to_string(length) + " bytes: more than the format's 100 MB; not a safetensors file?");
    if (length > file.size() - 8)
        return failed("truncated: a header of " + std::to_string(length) + " bytes, only " + std::to_string(file.size() - 8) +
                      " follow");
    std::string error;
    const json header = parse_header(file.substr(8, length), error);
    if (!error.empty()) return failed(error);
    const std::string_view data = file.substr(8 + length);
    SafeTensors s;
    for (const auto& [name, v] : header.items()) {
        if (name == "__metadata__") {
            if (!v.is_object()) return failed("__metadata__ is not an object");
            for (const auto& [key, value] : v.items()) {
                if (!value.is_string()) return failed("__metadata__ " + in_quotes(key) + " is not a string");
                s.metadata[key] = value.get<std::string>();
            }
            continue;
        }
        StoredTensor t;
        if (auto e = read_entry(name, v, data.size(), t); !e.empty()) return failed(e);
        s.tensors.push_back(std::move(t));
    }
    if (auto e = covers(s.tensors, data.size()); !e.empty()) return failed(e);
    s.data.resize(data.size());
    if (!data.empty()) std::memcpy(s.data.data(), data.data(), data.size());
    return s;
}

SafeTensors read_safetensors(const std::string& path) {
    std::string file;
    if (auto e = read_file(path, file); !e.empty()) return failed(e);
    auto s = parse_safetensors(file);
    if (!s.error.empty()) s.error = path + ": " + s.error;
    return s;
}

std::string write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t at = 0;
    for (const auto& t : tensors) {
        const auto d = std::find_if(dtypes.begin(), dtypes.end(), [&](const Dtype& e) { return e.type == t.type; });
        if (t.type == Type::none || d == dtypes.end()) return path + ": tensor '" + t.name + "' has no type to store";
        std::uint64_t n = static_cast<std::uint64_t>(d->bytes);
        for (auto s : t.shape) n *= static_cast<std::uint64_t>(s);
        header[t.name] = {{"dtype", d->name}, {"shape", t.shape}, {"data_offsets", {at, at + n}}};
        at += n;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the format aligns the data to 8 bytes
    std::string file;
    file.reserve(8 + text.size() + at);
    for (std::size_t k = 0; k < 8; ++k) file += static_cast<char>(text.size() >> (8 * k) & 0xff);
    file += text;
    for (const auto& t : tensors) {
        const auto& offsets = header[t.name]["data_offsets"];
        file.append(reinterpret_cast<const char*>(t.data),
                    offsets[1].get<std::uint64_t>() - offsets[0].get<std::uint64_t>());
    }
    return write_file(path, file);
}

}  // namespace ulpgate
