#include "reference/base/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <unistd.h>

namespace ulpgate {
namespace {

struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

std::string failed(const std::string& path) { return path + ": " + std::strerror(errno); }

// Writes `content` to the file `to`; an error names `path`.
std::string put(const std::string& to, const std::string& path, std::string_view content) {
    std::unique_ptr<std::FILE, Close> f(std::fopen(to.c_str(), "wb"));
    if (!f) return failed(path);
    if (std::fwrite(content.data(), 1, content.size(), f.get()) != content.size() || std::fflush(f.get()) != 0) return failed(path);
    return std::fclose(f.release()) != 0 ? failed(path) : "";
}

}  // namespace

std::string read_file(const std::string& path, std::string& out, std::size_t limit) {
    out.clear();
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec)) return path + ": is a directory, a file is needed";
    std::unique_ptr<std::FILE, Close> f(std::fopen(path.c_str(), "rb"));
    if (!f) return failed(path);
    char block[1 << 16];
    std::size_t n;
    while ((n = std::fread(block, 1, sizeof block, f.get())) > 0) {
        if (out.size() + n > limit) return path + ": larger than " + std::to_string(limit) + " bytes";
        out.append(block, n);
    }
    return std::ferror(f.get()) ? failed(path) : "";
}

std::string write_file(const std::string& path, std::string_view content) {
    namespace fs = std::filesystem;
    std::error_code ec;
    if (fs::is_directory(path, ec)) return path + ": is a directory, a file is needed";
    // A device or a pipe is written to, not replaced; a link stays a link.
    if (const auto there = fs::status(path, ec); fs::exists(there) && !fs::is_regular_file(there)) return put(path, path, content);
    const std::string target = fs::is_symlink(path, ec) && fs::exists(path, ec) ? fs::canonical(path, ec).string() : path;
    const std::string temporary = target + ".tmp" + std::to_string(::getpid());
    auto error = put(temporary, path, content);
    if (error.empty() && std::rename(temporary.c_str(), target.c_str()) != 0) error = failed(path);
    if (!error.empty()) std::remove(temporary.c_str());
    return error;
}

}  // namespace ulpgate
