// The worst error by libFuzzer: a segment program of 1,536 columns (or ULPGATE_D), an extra counter that fires where the error of
// r, or the distance outside the set, is the largest so far. What the contract does not allow is a crash with the case's
// line. ULPGATE_SUBJECT=TEXT: the kernel, in this process; built with -fsanitize=fuzzer-no-link, its branches steer the fuzzer.
// Without it a model sums one row in f32 lanes.
#include <algorithm>
#include <cstdlib>

#include "fuzz/check/check.hpp"
#include "fuzz/chosen/chosen.hpp"
#include "fuzz/codec/codec.hpp"
#include "fuzz/record/record.hpp"
#include "fuzz/search/bytes.hpp"
#include "reference/formats/convert.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

static std::int64_t width() {
    const char* text = std::getenv("ULPGATE_D");
    std::int64_t d = 1536;
    check(!text || (parse_integer(std::string_view(text), d) && d >= 1 && d <= case_elements), "ULPGATE_D={}: a width from 1 to {}", text ? text : "", case_elements);
    return d;
}

static void kernel(std::span<const std::uint8_t> bytes, const fuzzing::ChosenKernel& chosen) {
    static fuzzing::ByteSearch search(*chosen.subject, width());
    check(search.error().empty(), "{}", search.error());
    const double found = search(bytes);
    // Errors that an exact look is worth: the largest so far, and whatever a good kernel reaches on few rows.
    if (!fuzzing::record(0, found) && !(found > 16)) return;
    const double allowed = search.allowed();
    check(found <= allowed, "{} {}, allowed {}: {} {}", found, unit_of(search.objective()), allowed, chosen.subject->text(), search.line());
}

static void model(std::span<const std::uint8_t> bytes) {
    static Model m = [] {
        Model read;
        check(!parse("f32,cast_first,order=lanes:8x4", read), "no model");
        return read;
    }();
    static const std::int64_t d = width();
    static std::vector<std::byte> words(static_cast<std::size_t>(4 * d));
    static std::vector<float> x(static_cast<std::size_t>(d)), w(x.size(), 1.0f), y(x.size());
    ByteReader r(bytes);
    const Program p = read_program(r, Type::f32, d);
    fuzzing::fill_words(p, Type::f32, d, words.data());
    decode_words(Type::f32, words.data(), x);
    m.row(x, w, 1e-6, y);
    const fuzzing::RowOutputs o{&m.contract, x, w, y, 1e-6, {}};
    const double found = value_of(fuzzing::Objective::r, o);
    if (fuzzing::record(0, found)) check(found <= allowed_on(fuzzing::Objective::r, o), "{} ulp32, allowed {}", found, allowed_on(fuzzing::Objective::r, o));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* chosen = fuzzing::chosen_kernel(Abi::rmsnorm, "RMSNorm");
    if (chosen) kernel({data, size}, *chosen);
    else model({data, size});
    return 0;
}
