#include "impls/subject/template.hpp"

namespace ulpgate {

namespace embedded {  // written by .cmake/embed.cmake
extern const std::string_view rmsnorm_c, rmsnorm_cu, rmsnorm_toml, ulpgate_kernel_h;
}

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

std::string_view template_endings() { return ".c, .cu"; }

std::string kernel_template(std::string_view file_name) {
    file_name.remove_prefix(file_name.rfind('/') + 1);
    const auto dot = file_name.rfind('.');
    if (dot == 0 || dot == file_name.npos) return "";
    const std::string stem(file_name.substr(0, dot)), ending(file_name.substr(dot));
    if (ending != ".c" && ending != ".cu") return "";
    std::string text(ending == ".c" ? embedded::rmsnorm_c : embedded::rmsnorm_cu);
    for (const char* end : {".cu", ".ptx", ".toml", ".so"}) replace_all(text, std::string("rmsnorm") + end, stem + end);
    if (ending == ".c") replace_all(text, "rmsnorm.c", stem + ".c");
    replace_all(text, ".name = \"rmsnorm\"", ".name = \"" + stem + "\"");
    return text;
}

std::string launch_for(std::string_view file_name) {
    file_name.remove_prefix(file_name.rfind('/') + 1);
    const std::string stem(file_name.substr(0, file_name.rfind('.')));
    std::string text(embedded::rmsnorm_toml);
    for (const char* end : {".cu", ".ptx"}) replace_all(text, std::string("rmsnorm") + end, stem + end);
    replace_all(text, "name = \"rmsnorm\"", "name = \"" + stem + "\"");
    return text;
}

std::string kernel_header() { return std::string(embedded::ulpgate_kernel_h); }

}  // namespace ulpgate
