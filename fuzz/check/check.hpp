// What a fuzz target says when a promise is broken: the message, then abort(), which libFuzzer and the
// replaying main both take for a failure of the input.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace ulpgate::fuzzing {

template <class... A>
void check(bool holds, fmt::format_string<A...> message, A&&... arguments) {
    if (holds) return;
    fmt::print(stderr, "broken: {}\n", fmt::format(message, std::forward<A>(arguments)...));
    std::abort();
}

}  // namespace ulpgate::fuzzing
