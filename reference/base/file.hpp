// Whole files, with errors in words. Writing goes to a temporary name beside the target, then renames, so that a reader
// or an interrupt never meets half a file.
#pragma once
#include <string>
#include <string_view>

namespace ulpgate {

// "" or what went wrong ("x.toml: No such file or directory"). `limit`: refuses larger files.
std::string read_file(const std::string& path, std::string& out, std::size_t limit = std::size_t{4} << 30);
std::string write_file(const std::string& path, std::string_view content);

}  // namespace ulpgate
