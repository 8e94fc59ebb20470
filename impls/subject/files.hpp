// Outputs that came back as files: the kernel ran elsewhere, in any language, on any machine. Nothing is called, so guards,
// poisons, reruns and limits do not apply; the same inputs are made again here and recognised by their hash.
#pragma once
#include <memory>
#include <string>

#include "impls/subject/subject.hpp"

namespace ulpgate {

// text: "files:DIR", DIR as `ulpgate export` wrote it and filled with outputs.
std::unique_ptr<Subject> open_files_subject(std::string text);

}  // namespace ulpgate
