// A kernel as a subject: two calls on two poisons, flush with both ends of its memory, compared; where the bits differ, why.
#pragma once
#include <memory>
#include <string>

#include "impls/subject/callee.hpp"
#include "impls/subject/subject.hpp"

namespace ulpgate {

// text: as the user wrote it. library: the file. variant: passed to ulpgate_describe(); "" passes NULL.
// A shared library in a child process.
std::unique_ptr<Subject> open_isolated_subject(std::string text, std::string library, std::string variant, const SubjectOptions&);

// Wherever it is called.
std::unique_ptr<Subject> open_called_subject(std::string text, std::unique_ptr<Callee>);

}  // namespace ulpgate
