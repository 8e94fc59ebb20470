#include "impls/subject/build.hpp"

#include <algorithm>
#include <filesystem>

#include "impls/cuda/launch/description.hpp"
#include "impls/subject/in_process.hpp"
#include "reference/base/file.hpp"
#include "reference/base/sha1.hpp"

namespace ulpgate {
namespace {

// A description and the module of each architecture that it has a file for.
void add_description(const std::string& path, std::vector<std::string>& files) {
    files.push_back(path);
    for (const char* arch : {"", "sm_80", "sm_90"}) try {
            const auto module = launch::read_description(path, arch).module;
            if (std::error_code ec; std::filesystem::is_regular_file(module, ec) && std::find(files.begin(), files.end(), module) == files.end())
                files.push_back(module);
        } catch (const std::exception&) {
            // what is wrong with it shows at start()
        }
}

}  // namespace

Build build_of(const std::string& text, const SubjectOptions& o) {
    const Library l = library_of(text, o);
    if (l.library.empty()) return {"", l.why};
    std::vector<std::string> files{l.library};
    const auto at = text.rfind('@');
    const std::string name = at == text.npos || text.find('/', at) != text.npos ? text : text.substr(0, at);
    if (name == "ptx") add_description(o.home + "/kernels/cuda/rmsnorm.toml", files);
    if (name.ends_with(".toml")) add_description(name, files);
    std::string all;
    for (const auto& path : files) {
        std::string content;
        if (auto e = read_file(path, content); !e.empty()) return {"", e};
        all += sha1(content);
    }
    return {files.size() == 1 ? all : sha1(all), ""};
}

}  // namespace ulpgate
