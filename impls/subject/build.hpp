// Which build of a kernel a text means: so that what was learnt of one is not taken for the next.
#pragma once
#include <string>

#include "impls/subject/subject.hpp"

namespace ulpgate {

// SHA-1 over the files that the kernel is read from: its library; of kernels in PTX the description and its modules too.
struct Build {
    std::string sha1, error;
};
Build build_of(const std::string& text, const SubjectOptions&);

}  // namespace ulpgate
