// Any bytes as text and as a case. As text: an error with a place inside it, or a case whose line reads back. As a case: its
// line reads back to the same case, its bytes too, its tensors can be made, and made again they are the same.
#include <span>
#include <string>

#include "fuzz/check/check.hpp"
#include "fuzz/codec/codec.hpp"
#include "reference/model/model.hpp"

using namespace ulpgate;
using fuzzing::check;

static void reads_back(const Case& c) {
    const std::string line = print(c);
    Case again;
    const auto bad = parse(line, again);
    check(!bad, "{} does not read back: column {}: {}", line, bad ? bad->at : 0, bad ? bad->what : "");
    check(again == c, "{} reads back as {}", line, print(again));
}

static void as_text(std::string_view text) {
    Case c;
    if (const auto bad = parse(text, c)) {
        check(bad->at <= text.size() && !bad->what.empty(), "an error without a place: {}", bad->what);
        return;
    }
    reads_back(c);
    if (const auto hard = read_hard_case(hard_case_text(c, "any")); c.file.find_first_of("\n\r ") == std::string::npos)
        check(hard == c, "{} does not read back as a hard case", print(c));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    as_text({reinterpret_cast<const char*>(data), size});
    const FuzzCase f = decode_case({data, size});
    const Case& c = f.input;
    reads_back(c);
    Model model;
    check(!parse(f.model, model), "{} is no model", f.model);
    if (const auto bytes = encode_case(c)) check(decode_case(*bytes).input == c, "{} does not read back from its bytes", print(c));
    const Made made = make(c), again = make(c);
    check(made.error.empty(), "{} cannot be made: {}", print(c), made.error);
    check(made.tensors.hash() == again.tensors.hash(), "{} gives other tensors the second time", print(c));
    check(c.d * c.batch * c.tokens <= case_elements, "{} is too large", print(c));
    return 0;
}
