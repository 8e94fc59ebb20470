// The built program run as a user runs it, in a folder of its own; and small kernels built for it. Tests only.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/file.hpp"

namespace ulpgate::testing_cli {

inline std::string slurp(const std::string& path) {
    std::string s;
    EXPECT_EQ(read_file(path, s), "");
    return s;
}

class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ulpgate_cli_XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }
    void write(const std::string& name, const std::string& content) const { ASSERT_EQ(write_file(path_ + "/" + name, content), ""); }

  private:
    std::string path_;
};

struct Ran {
    int exit = -1;
    std::string out, err;
    std::string both() const { return out + err; }
};

using Environment = std::vector<std::pair<std::string, std::string>>;

class Process {
  public:
    Process(const Folder& folder, std::vector<std::string> args, const Environment& env = {}) {
        args.insert(args.begin(), std::string(ULPGATE_HOME) + "/ulpgate");
        std::vector<char*> argv;
        for (auto& a : args) argv.push_back(a.data());
        argv.push_back(nullptr);
        static int number = 0;
        out_ = folder / (".out" + std::to_string(++number));
        err_ = folder / (".err" + std::to_string(number));
        pid_ = ::fork();
        if (pid_ != 0) return;
        for (const auto& [k, v] : env) ::setenv(k.c_str(), v.c_str(), 1);
        const int out = ::open(out_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644), err = ::open(err_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
        if (::chdir(folder.path().c_str()) != 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    void signal(int s) const { ::kill(pid_, s); }
    std::string err_so_far() const { return slurp(err_); }
    Ran wait() const {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), slurp(out_), slurp(err_)};
    }

  private:
    std::string out_, err_;
    pid_t pid_ = -1;
};

inline Ran ulpgate(const Folder& folder, std::vector<std::string> args, const Environment& env = {}) {
    return Process(folder, std::move(args), env).wait();
}

inline nlohmann::ordered_json json_of(const std::string& text) {
    auto j = nlohmann::ordered_json::parse(text, nullptr, false);
    EXPECT_FALSE(j.is_discarded()) << text;
    return j;
}

// A library with a variant for each way to behave, built once for all tests of the program.
inline const std::string& troubled() {
    static const Folder folder;
    static const std::string path = [] {
        folder.write("trouble.c", "#include \"ulpgate_kernel.h\"\n" R"(
#include <math.h>
#include <stdlib.h>
#include <string.h>
static const char *mode;
static int calls;
static float widen(uint16_t h) { uint32_t u = (uint32_t)h << 16; float f; memcpy(&f, &u, 4); return f; }
static uint16_t narrow(float f) {
    uint32_t u; memcpy(&u, &f, 4);
    if (f != f) return 0x7fc0;
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static int norm(const ulpgate_rmsnorm *a) {
    ++calls;
    if (!strcmp(mode, "crash")) *(volatile int *)8 = 1;
    if (!strcmp(mode, "hang")) for (volatile int i = 1; i;) ;
    if (!strcmp(mode, "exit")) exit(0);
    if (!strcmp(mode, "refuse")) return ULPGATE_REFUSED;
    int gain_first = !strcmp(mode, "swapped") || !strcmp(mode, "silent") || (!strcmp(mode, "later") && calls > 5);
    for (int64_t i = 0; i < a->rows; ++i) {
        const uint16_t *x = (const uint16_t *)a->x.data + i * a->x.stride[0], *w = a->w.data;
        uint16_t *y = (uint16_t *)a->y.data + i * a->y.stride[0];
        double s = 0;
        for (int64_t j = 0; j < a->d; ++j) s += (double)widen(x[j]) * widen(x[j]);
        float r = (float)(1 / sqrt(s / (double)a->d + a->eps));
        for (int64_t j = 0; j < a->d; ++j) {
            float n = widen(x[j]) * r;
            y[j] = narrow(gain_first ? n * widen(w[j]) : widen(narrow(n)) * widen(w[j]));
        }
    }
    if (!strcmp(mode, "past")) ((uint16_t *)a->y.data)[(a->rows - 1) * a->y.stride[0] + a->d] = 1;
    return ULPGATE_OK;
}
const ulpgate_descriptor *ulpgate_describe(const char *variant) {
    static ulpgate_entry e = {.size = sizeof e, .contract = "bf16,cast_first", .rmsnorm = norm};
    static ulpgate_descriptor d = {ULPGATE_HEAD, .name = "trouble", .version = "1", .entries = &e, .entry_count = 1};
    mode = variant ? variant : "right";
    if (!strcmp(mode, "silent")) e.contract = "bf16";
    if (!strcmp(mode, "mumbling")) e.contract = "bf16,cast_frist";
    if (!strcmp(mode, "elsewhere")) d.unavailable = "needs a machine that nobody has";
    return &d;
}
)");
        const auto so = folder / "libtrouble.so";
        const auto command = std::string(ULPGATE_CC) + " -std=c11 -O1 -fPIC -shared -ffp-contract=off -I" + ULPGATE_SOURCE + "/impls " +
                             (folder / "trouble.c") + " -o " + so + " -lm";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return so;
    }();
    return path;
}

}  // namespace ulpgate::testing_cli
