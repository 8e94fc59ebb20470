// What is wrong with PTX or with its run: in words, the line of the PTX first.
#pragma once
#include <stdexcept>
#include <string>

namespace ulpgate::ptx {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(int line, const std::string& what) { throw Error("line " + std::to_string(line) + ": " + what); }

}  // namespace ulpgate::ptx
