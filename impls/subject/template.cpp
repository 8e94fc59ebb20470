#include "impls/subject/template.hpp"

namespace ulpgate {

namespace embedded {  // written by .cmake/embed.cmake
extern const std::string_view rmsnorm_c, ulpgate_kernel_h;
}

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

std::string_view template_endings() { return ".c"; }

std::string kernel_template(std::string_view file_name) {
    file_name.remove_prefix(file_name.rfind('/') + 1);
    const auto dot = file_name.rfind('.');
    if (dot == 0 || dot == file_name.npos || file_name.substr(dot) != ".c") return "";
    const std::string stem(file_name.substr(0, dot));
    std::string text(embedded::rmsnorm_c);
    replace_all(text, "rmsnorm.c", stem + ".c");
    replace_all(text, "rmsnorm.so", stem + ".so");
    replace_all(text, ".name = \"rmsnorm\"", ".name = \"" + stem + "\"");
    return text;
}

std::string kernel_header() { return std::string(embedded::ulpgate_kernel_h); }

}  // namespace ulpgate
