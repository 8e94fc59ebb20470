// A kernel behind glass: load it in a child process, call it, see what happened. The subject cannot hurt the harness.
//
// Text forms: NAME (a built-in kernel), PATH[@VARIANT] (a shared library), model/TEXT, faulty/KIND[:PARAM][,MODEL],
// byhand/NAME, files:DIR, ptx[@ARCH], FILE.toml[@VARIANT] (a launch description of kernels in PTX),
// python:MODULE:FUNCTION[:TENSORS][:out][@CONTRACT] (the package ulpgate of that python3, or $ULPGATE_PYTHON, calls it in a child).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/tensors/tensors.hpp"

namespace ulpgate {

enum class Event {
    ok,
    refused,     // the kernel returned ULPGATE_REFUSED, or the entry's limits exclude the shape: counts as a skip
    failed,      // it returned an error
    corrupted,   // wrote or touched what it must not, changed an input, left outputs unwritten
    unstable,    // same input, other bits
    crashed,
    hung,
    not_loaded,  // no such file, not a shared object, no symbol, another ABI
    unavailable  // the subject says that it cannot run on this machine, and why
};

struct Outcome {
    Event event = Event::ok;
    std::string what;                         // in words: where and what
    std::vector<std::vector<std::byte>> out;  // by tensor index, packed row-major in the tensor's type; empty for inputs
    std::vector<std::string> findings;        // what is worth a line and no failure: "bits depend on the address"
    double cpu_seconds = 0;
};

struct EntryInfo {
    std::string contract;  // as the entry gives it: "bf16,cast_first"
    Abi abi = Abi::rmsnorm;
    std::int64_t d_min = 0, d_max = 0, d_divisor = 0;  // 0: any
    std::uint32_t align = 0;                           // bytes; 0: the element's
    std::uint32_t readable_past_end = 0;
};

struct SubjectOptions {
    std::string home;                 // folder of ulpgate-child and kernels/
    double cpu_seconds = 5;           // limit a call and thread; wall clock 20 times that
    double idle_seconds = 5;          // no CPU used for so long: hung
    std::vector<std::pair<std::string, std::string>> child_env;
    // Subjects of the caller's own, asked before a text means anything else; null back: it is none of them.
    std::function<std::unique_ptr<class Subject>(const std::string& text)> own{};
};

class Subject {
  public:
    virtual ~Subject() = default;
    virtual const std::string& text() const = 0;
    // Loads, or loads again after a crash. ok, not_loaded or unavailable (with the reason), crashed, hung.
    virtual Outcome start() = 0;
    virtual const std::vector<EntryInfo>& entries() const = 0;
    virtual std::string name() const = 0;     // the descriptor's; "" before start()
    virtual std::string version() const = 0;  // the descriptor's; may be ""
    virtual std::string mode() const = 0;     // "" or the FP mode after load where not default: "ftz+daz on"
    // The case lines that this subject has outputs for; empty: any case.
    virtual std::vector<std::string> cases() const { return {}; }
    // Both passes, both poisons, guards on both sides; restarts a dead child first.
    virtual Outcome run(std::size_t entry, const Tensors&) = 0;
};

// Never fails: what is wrong with the text shows at start().
std::unique_ptr<Subject> open_subject(std::string text, const SubjectOptions&);

// Built-in kernels found in home/kernels, by name: what `gate` runs without arguments, in a fixed order.
std::vector<std::string> built_in_subjects(const std::string& home);
// What a text stands for in a gate: itself, or, for PTX, every execution that its verdict must hold for: "ptx@sm_80", "ptx@sm_90",
// "k.toml@fuse=first". archs empty: both of the built-in kernels', and a description's own.
std::vector<std::string> members_of(const std::string& text, const std::string& home, const std::vector<std::string>& archs);
// What a reader should know of kernels in PTX beside the verdict, a line each: a fast-math build, products that may be contracted.
std::vector<std::string> remarks_of(const std::string& text, const std::string& home, const std::vector<std::string>& archs);
// byhand/..., every name.
std::vector<std::string> byhand_subjects(const std::string& home);

}  // namespace ulpgate
