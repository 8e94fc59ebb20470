// main() of a fuzz target where libFuzzer is not there: runs the target once on each file, and on each file
// of each folder.
//   0  every input kept the promises      1  one broke them (said, with its name)      2  nothing to run, or
//   unreadable
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

char running[4096];  // the input's name, for the signal handler

extern "C" void broken(int signal) {
    const char* what = signal == SIGABRT ? "input: " : "crashed on input: ";
    for (const char* text : {what, static_cast<const char*>(running), "\n"})
        if (write(2, text, std::strlen(text)) < 0) break;
    _exit(1);
}

int usage(const char* program) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...   runs the fuzz target on each file\n", program);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    std::vector<std::string> inputs;
    for (int k = 1; k < argc; ++k) {
        std::error_code ec;
        if (fs::is_directory(argv[k], ec)) {
            for (const auto& e : fs::directory_iterator(argv[k], ec))
                if (e.is_regular_file()) inputs.push_back(e.path().string());
        } else {
            inputs.emplace_back(argv[k]);
        }
        if (ec) return std::fprintf(stderr, "%s: %s\n", argv[k], ec.message().c_str()), 2;
    }
    if (inputs.empty()) return usage(argv[0]);
    std::sort(inputs.begin(), inputs.end());
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, broken);
    for (const auto& path : inputs) {
        std::ifstream file(path, std::ios::binary);
        if (!file) return std::fprintf(stderr, "%s: cannot be read\n", path.c_str()), 2;
        const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        std::snprintf(running, sizeof running, "%s", path.c_str());
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("%zu inputs, none broke a promise\n", inputs.size());
}
