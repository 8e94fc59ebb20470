// What `ulpgate new` writes: an adapter that works as it stands, and the header that it includes.
#pragma once
#include <string>
#include <string_view>

namespace ulpgate {

// A C99 or CUDA RMSNorm kernel with its build line, named after the file: "a/b/fast.c" builds fast.so.
// "" where no template has this ending; template_endings() lists those that have one.
std::string kernel_template(std::string_view file_name);
std::string_view template_endings();
// The launch description of FILE.cu, to lie beside it as FILE.toml.
std::string launch_for(std::string_view file_name);
// ulpgate_kernel.h, to lie beside it.
std::string kernel_header();

}  // namespace ulpgate
