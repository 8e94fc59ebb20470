// A kernel library in this process: no guards, no limits, a crash ends the program. For kernels that are trusted not to
// crash and called millions of times (the search for the worst error), and for fuzzers, which want the crash.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"

namespace ulpgate {

// The same texts as open_subject(); stays loaded for ever. One call a run, on outputs that hold NaN; under AddressSanitizer the
// memory around each tensor is poisoned.
std::unique_ptr<Subject> open_in_process(std::string text, const SubjectOptions&);

// One shape, called again and again: inputs are written in place, outputs are read in place.
class DirectCall {
  public:
    // subject: of open_in_process, started. Tensors as laid out; what they hold is copied. The reason why not: error().
    DirectCall(Subject& subject, std::size_t entry, const Tensors&);
    ~DirectCall();
    DirectCall(const DirectCall&) = delete;
    DirectCall& operator=(const DirectCall&) = delete;

    const std::string& error() const;
    std::byte* data(std::size_t tensor);  // by its index in Tensors::all
    int operator()();                     // the status: 0 is ULPGATE_OK
  private:
    struct State;
    std::unique_ptr<State> state_;
};

// The library and variant that a subject's text means; "" in library: none (files:, an unknown name), and why.
struct Library {
    std::string library, variant, why{};
    bool own = false;  // built in, a model, a faulty kernel or one by hand: built with this program
    Event event = Event::not_loaded;  // where there is no library
};
Library library_of(const std::string& text, const SubjectOptions&);

}  // namespace ulpgate
