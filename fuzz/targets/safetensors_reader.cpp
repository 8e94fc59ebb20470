// Any bytes as a safetensors file: an error in printable words, or tensors that lie side by side and cover the data.
#include <algorithm>

#include "fuzz/check/check.hpp"
#include "reference/base/safetensors.hpp"

using namespace ulpgate;
using fuzzing::check;

static bool printable(std::string_view s) {
    return std::none_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const SafeTensors s = parse_safetensors({reinterpret_cast<const char*>(data), size});
    if (!s.error.empty()) {
        check(printable(s.error), "an error with control characters");
        check(s.tensors.empty() && s.data.empty(), "an error, and tensors");
        return 0;
    }
    std::size_t bytes = 0, sum = 0;
    for (const auto& t : s.tensors) {
        check(printable(t.name), "a name with control characters was taken");
        check(t.begin <= t.end && t.end <= s.data.size(), "'{}' lies outside the data", t.name);
        check(t.count() >= 0, "'{}' has a negative count", t.name);
        if (t.type != Type::none) check(t.end - t.begin == static_cast<std::size_t>(t.count() * ulpgate::bytes(t.type)), "'{}' has other bytes than its shape", t.name);
        check(s.find(t.name) != nullptr, "'{}' is not found", t.name);
        bytes += t.end - t.begin;
        for (std::size_t k = t.begin; k < t.end; ++k) sum += static_cast<std::size_t>(s.data[k]);  // every byte can be read
    }
    check(bytes == s.data.size() && sum <= 255 * bytes, "{} bytes of data, tensors hold {}", s.data.size(), bytes);
    return 0;
}
