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
    const std::string temporary = path + ".tmp" + std::to_string(::getpid());
    {
        std::unique_ptr<std::FILE, Close> f(std::fopen(temporary.c_str(), "wb"));
        if (!f) return failed(path);
        if (std::fwrite(content.data(), 1, content.size(), f.get()) != content.size() || std::fflush(f.get()) != 0) {
            const auto why = failed(path);
            std::remove(temporary.c_str());
            return why;
        }
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const auto why = failed(path);
        std::remove(temporary.c_str());
        return why;
    }
    return "";
}

}  // namespace ulpgate
