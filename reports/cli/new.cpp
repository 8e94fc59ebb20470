#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "impls/subject/template.hpp"
#include "reference/base/file.hpp"
#include "reports/cli/verb.hpp"

namespace ulpgate::cli {
namespace {

namespace fs = std::filesystem;

void write_c(const fs::path& path, const fs::path& folder, const std::string& text) {
    std::error_code ec;
    const auto header = (folder / "ulpgate_kernel.h").lexically_normal();
    bool wrote_header = false;
    if (fs::exists(header, ec)) {
        std::string there;
        if (auto e = read_file(header.string(), there); !e.empty()) throw UsageError(e);
        if (there != kernel_header()) throw UsageError(fmt::format("{}: is another version than this program's; move it away first", header.string()));
    } else {
        if (auto e = write_file(header.string(), kernel_header()); !e.empty()) throw UsageError(e);
        wrote_header = true;
    }
    if (auto e = write_file(path.string(), text); !e.empty()) throw UsageError(e);
    fmt::print("wrote {}{}\n", path.string(), wrote_header ? fmt::format(" and {}", header.string()) : "");
    fmt::print("its first lines say how to build it; then: ulpgate gate ./{}\n", path.filename().replace_extension(".so").string());
}

void write_cuda(const fs::path& path, const std::string& text) {
    std::error_code ec;
    auto launch = path;
    launch.replace_extension(".toml");
    if (fs::exists(fs::symlink_status(launch, ec))) throw UsageError(fmt::format("{}: exists, and is not overwritten: take another name", launch.string()));
    if (auto e = write_file(launch.string(), launch_for(path.string())); !e.empty()) throw UsageError(e);
    if (auto e = write_file(path.string(), text); !e.empty()) throw UsageError(e);
    fmt::print("wrote {} and {}\n", path.string(), launch.string());
    fmt::print("its first lines say how to build it; then: ulpgate gate {}\n", launch.string());
}

int new_run(const Arguments& a) {
    const fs::path path = a.operands[0];
    const auto text = kernel_template(path.string());
    if (text.empty()) throw UsageError(fmt::format("{}: no adapter for this ending; there is one for {}", path.string(), template_endings()));
    std::error_code ec;
    if (fs::exists(fs::symlink_status(path, ec))) throw UsageError(fmt::format("{}: exists, and is not overwritten: take another name", path.string()));
    const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ec)) throw UsageError(fmt::format("{}: no such folder", folder.string()));
    path.extension() == ".cu" ? write_cuda(path, text) : write_c(path, folder, text);
    return 0;
}

}  // namespace

PIECE(Verb, new_kernel) = {"new", "FILE.c|FILE.cu", "write an adapter for your kernel: it works as it stands, then put yours in",
    "Writes FILE.c and, beside it, ulpgate_kernel.h; or FILE.cu and FILE.toml, its launch description. Nothing is overwritten.", {}, 1, 1, new_run};

}  // namespace ulpgate::cli
