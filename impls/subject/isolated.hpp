// A shared library as a subject, in a child process.
#pragma once
#include <memory>
#include <string>

#include "impls/subject/subject.hpp"

namespace ulpgate {

// text: as the user wrote it. library: the file. variant: passed to ulpgate_describe(); "" passes NULL.
std::unique_ptr<Subject> open_isolated_subject(std::string text, std::string library, std::string variant, SubjectOptions);

}  // namespace ulpgate
