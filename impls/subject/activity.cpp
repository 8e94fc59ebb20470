#include "impls/subject/activity.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace ulpgate {

bool works(pid_t process) {
    std::error_code error;
    for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), error), end; !error && thread != end; thread.increment(error)) {
        std::ifstream file(thread->path() / "stat");
        std::string stat;
        std::getline(file, stat);
        const auto name_ends = stat.rfind(')');  // the name may hold anything
        if (name_ends == stat.npos || name_ends + 2 >= stat.size()) continue;
        const char state = stat[name_ends + 2];
        if (state == 'R' || state == 'D') return true;
    }
    return false;
}

}  // namespace ulpgate
