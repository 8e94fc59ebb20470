// Any text as a launch description, and any of its expressions with small numbers: an error in words, or numbers.
#include <stdexcept>

#include "fuzz/check/check.hpp"
#include "impls/cuda/launch/description.hpp"
#include "impls/cuda/launch/expression.hpp"

using namespace ulpgate;
using fuzzing::check;

static void number(const std::string& text) {
    try {
        launch::evaluate(text, [](std::string_view) { return std::int64_t{5}; });
    } catch (const std::runtime_error& e) {
        check(*e.what(), "an error without words");
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    number(std::string(text));
    try {
        const auto d = launch::parse_description(text, "l.toml", "sm_80");
        for (const auto& e : d.entries) {
            for (const auto& r : e.requirements) number(r);
            for (const auto& b : e.buffers) number(b.bytes);
            for (const auto& l : e.launches) {
                number(l.shared);
                if (!l.when.empty()) number(l.when);
                for (const auto& g : l.grid) number(g);
                for (const auto& b : l.block) number(b);
            }
        }
    } catch (const std::runtime_error& e) {
        check(std::string_view(e.what()).starts_with("l.toml"), "an error without its file: {}", e.what());
    }
    return 0;
}
