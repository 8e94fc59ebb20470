#include "impls/subject/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "impls/subject/activity.hpp"
#include "impls/subject/spawner.hpp"

extern char** environ;

namespace ulpgate {

using namespace child;

namespace {

constexpr std::uint64_t most_inputs = std::uint64_t{1} << 38;  // of address space, not of memory

template <std::size_t N>
std::string bounded(const char (&text)[N]) {
    return {text, ::strnlen(text, N)};
}

double cpu_of(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What is wrong with the file before anything of it runs; "" when it looks like a shared library.
std::string not_a_library(const std::string& path) {
    struct stat st{};
    if (::stat(path.c_str(), &st)) return fmt::format("{}: {}", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return path + ": not a file";
    std::FILE* f = std::fopen(path.c_str(), "rb");
    if (!f) return fmt::format("{}: {}", path, strerror(errno));
    char magic[4] = {};
    const bool elf = std::fread(magic, 1, 4, f) == 4 && !std::memcmp(magic, "\177ELF", 4);
    std::fclose(f);
    return elf ? "" : path + ": not a shared library (no ELF header): build it with cc -shared -fPIC";
}

int memory_file(const char* name, std::uint64_t size) {
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Sealed against shrinking: a child that truncates it would make the harness fault.
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(size)) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) throw std::system_error(errno, std::generic_category(), "memfd");
    return fd;
}

// The environment with the options' assignments in place of those of the same name.
std::vector<std::string> environment(const SubjectOptions& o) {
    std::vector<std::string> out;
    for (char** e = environ; *e; ++e) {
        const std::string_view entry = *e;
        bool replaced = false;
        for (const auto& [key, value] : o.child_env) replaced |= entry.starts_with(key + "=");
        if (!replaced) out.emplace_back(entry);
    }
    for (const auto& [key, value] : o.child_env) out.push_back(key + "=" + value);
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& v) {
    std::vector<char*> p;
    for (auto& s : v) p.push_back(s.data());
    p.push_back(nullptr);
    return p;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, std::string library, SubjectOptions options)
    : command_(std::move(command)), library_(std::move(library)), options_(std::move(options)) {
    control_fd_ = memory_file("ulpgate-control", sizeof(Control));
    arena_fd_ = memory_file("ulpgate-arena", 0);
    inputs_fd_ = memory_file("ulpgate-inputs", 0);
    // Mapped before it is sealed, as far as it may ever grow: from then on nobody maps it writable again.
    void* in = mmap(nullptr, most_inputs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, inputs_fd_, 0);
    if (in == MAP_FAILED) throw std::bad_alloc();
    inputs_ = static_cast<unsigned char*>(in);
    if (fcntl(inputs_fd_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE)) throw std::system_error(errno, std::generic_category(), "memfd seal");
    void* p = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control_fd_, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    control_ = new (p) Control{};
}

ChildProcess::~ChildProcess() {
    kill();
    munmap(control_, sizeof(Control));
    if (arena_) munmap(arena_, arena_size_);
    munmap(inputs_, most_inputs);
    close(control_fd_);
    close(arena_fd_);
    close(inputs_fd_);
}

void ChildProcess::kill() {
    if (pid_ > 0) {
        kill_group();
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
}

std::string ChildProcess::error() const { return bounded(control_->error); }

// Whatever the kernel started dies with it. Before the leader is reaped: until then the group's number is its own.
void ChildProcess::kill_group() const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

void ChildProcess::set_layout(const Layout& layout, std::uint64_t reservation) {
    bool same = reservation == reservation_;
    for (std::size_t k = 0; same && k < layout.size(); ++k) {
        const Slot &a = layout_[k], &b = layout[k];
        same = a.at == b.at && a.pages == b.pages && a.file == b.file && a.writable == b.writable;
    }
    layout_ = layout;
    reservation_ = reservation;
    std::copy(layout.begin(), layout.end(), control_->slot);
    control_->mapping = same ? mapping_ : ++mapping_;
    control_->reservation = reservation;
}

bool ChildProcess::grow_arena(std::uint64_t bytes) {
    if (bytes <= arena_size_) return true;
    if (ftruncate(arena_fd_, static_cast<off_t>(bytes))) return false;
    void* p = arena_ ? mremap(arena_, arena_size_, bytes, MREMAP_MAYMOVE)
                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena_fd_, 0);
    if (p == MAP_FAILED) return false;
    arena_ = static_cast<unsigned char*>(p);
    arena_size_ = bytes;
    return true;
}

bool ChildProcess::grow_inputs(std::uint64_t bytes) {
    if (bytes <= inputs_size_) return true;
    if (bytes > most_inputs || ftruncate(inputs_fd_, static_cast<off_t>(bytes))) return false;
    inputs_size_ = bytes;
    return true;
}

Outcome ChildProcess::spawn() {
    if (auto e = library_.empty() ? "" : not_a_library(library_); !e.empty()) return {Event::not_loaded, e, {}, {}, 0};
    kill();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return {Event::not_loaded, fmt::format("socketpair: {}", strerror(errno)), {}, {}, 0};
    control_->phase = starting;
    control_->error[0] = 0;
    control_->signal = 0;
    control_->entry_count = 0;
    control_->workspace_bytes = 0;
    auto args = command_;
    auto env = environment(options_);

    // Moved out of the way first: dup2 onto the descriptor itself would keep close-on-exec.
    const int moved[] = {fcntl(control_fd_, F_DUPFD_CLOEXEC, 20), fcntl(arena_fd_, F_DUPFD_CLOEXEC, 20), fcntl(pair[1], F_DUPFD_CLOEXEC, 20),
                         fcntl(inputs_fd_, F_DUPFD_CLOEXEC, 20)};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);  // what a kernel prints must not end up in --json -
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, moved[0], control_fd);
    posix_spawn_file_actions_adddup2(&actions, moved[1], arena_fd);
    posix_spawn_file_actions_adddup2(&actions, moved[2], socket_fd);
    posix_spawn_file_actions_adddup2(&actions, moved[3], inputs_fd);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own: Ctrl-C is for the harness to answer.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    const auto argv = pointers(args), envp = pointers(env);
    const int failed = on_lasting_thread(
        [&] { return posix_spawnp(&pid_, args[0].c_str(), &actions, &attributes, argv.data(), envp.data()); });
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (int fd : moved) close(fd);
    close(pair[1]);
    socket_ = pair[0];
    if (failed) {
        pid_ = -1;
        return {Event::not_loaded, fmt::format("{}: {}{}", command_[0], strerror(failed), command_[0].ends_with("ulpgate-child") ? ": it belongs beside ulpgate" : ""), {}, {}, 0};
    }
    counted_ = 0;
    return wait(options_.cpu_seconds);
}

Outcome ChildProcess::step(unsigned threads) {
    control_->signal = 0;
    control_->error[0] = 0;
    const char c = 1;
    if (send(socket_, &c, 1, MSG_NOSIGNAL) != 1) {
        kill();
        return {Event::crashed, "the process is gone", {}, {}, 0};
    }
    return wait(options_.cpu_seconds * threads);
}

// Until the child's next byte: ok. Otherwise what became of it.
Outcome ChildProcess::wait(double cpu_limit) {
    using clock = std::chrono::steady_clock;
    clockid_t id{};
    clock_getcpuclockid(pid_, &id);
    const double cpu0 = cpu_of(id);
    const auto start = clock::now();
    double busy = cpu0, idle = 0;
    auto looked = start;
    for (;;) {
        pollfd p{socket_, POLLIN, 0};
        poll(&p, 1, 20);
        char c;
        if (p.revents && recv(socket_, &c, 1, MSG_DONTWAIT) == 1) {
            // The clock of a process that still runs lags by up to a tick: what is missing here falls to the next call.
            const double cpu = cpu_of(id), used = cpu - counted_;
            counted_ = cpu;
            return {Event::ok, "", {}, {}, used};
        }
        siginfo_t dead{};
        if (waitid(P_PID, static_cast<id_t>(pid_), &dead, WEXITED | WNOHANG | WNOWAIT) == 0 && dead.si_pid == pid_) {
            int status = 0;
            kill_group();
            waitpid(pid_, &status, 0);
            pid_ = -1;
            Outcome o = died(status);
            kill();
            return o;
        }
        if (p.revents) usleep(1000);  // hung up, not dead yet; or a kernel closed the socket
        const double cpu = cpu_of(id);
        const auto now = clock::now();
        const auto seconds = [&](auto since) { return std::chrono::duration<double>(now - since).count(); };
        // A long step is this process or the machine standing still, not the child.
        idle = cpu > busy ? 0 : idle + std::min(seconds(looked), 0.1);
        busy = cpu;
        looked = now;
        if (idle > options_.idle_seconds && works(pid_)) idle = 0;
        std::string why;
        if (cpu - cpu0 > cpu_limit) why = fmt::format("used more than {:g} s of CPU (--timeout)", cpu_limit);
        else if (idle > options_.idle_seconds) why = fmt::format("used no CPU for {:g} s: it waits for something", options_.idle_seconds);
        else if (seconds(start) > 20 * cpu_limit) why = fmt::format("not back after {:g} s", 20 * cpu_limit);
        if (why.empty()) continue;
        const bool called = control_->phase == inside_kernel;
        kill();
        return {Event::hung, (called ? "" : "while it was loaded: ") + why, {}, {}, cpu - cpu0};
    }
}

Outcome ChildProcess::died(int status) {
    const auto phase = control_->phase.load();
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_loaded && control_->error[0])
        return {Event::not_loaded, bounded(control_->error), {}, {}, 0};
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_unavailable && control_->error[0])
        return {Event::unavailable, bounded(control_->error), {}, {}, 0};
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_device && control_->error[0])
        return {Event::crashed, "on the device: " + bounded(control_->error), {}, {}, 0};
    const std::string when = phase == inside_kernel ? "" : phase == loading ? "while it was loaded: " : "between two calls: ";
    Outcome o{Event::crashed, "", {}, {}, 0};
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_fault && control_->signal) o = fault();
    else if (WIFEXITED(status)) o.what = fmt::format("called exit({})", WEXITSTATUS(status));
    else o.what = fmt::format("killed by {}", strsignal(WTERMSIG(status)));
    o.what = when + o.what;
    return o;
}

// An access that a guard page or a read-only input stopped is no crash: it is what the kernel must not touch.
Outcome ChildProcess::fault() const {
    const Control& c = *control_;
    const auto corrupted = [](std::string what) { return Outcome{Event::corrupted, std::move(what), {}, {}, 0}; };
    if (c.signal == SIGSEGV || c.signal == SIGBUS) {
        if (c.workspace_bytes && c.address + page >= c.workspace && c.address < c.workspace + c.workspace_bytes + 2 * page)
            return corrupted(c.address < c.workspace ? fmt::format("touched byte {} before its workspace", c.workspace - c.address)
                                                     : fmt::format("touched byte {} past the end of its workspace", c.address - c.workspace - c.workspace_bytes));
        const std::uint64_t at = c.address - c.base;
        for (const Slot& s : layout_) {
            if (!s.name[0] || c.address < c.base) break;
            if (s.alias) continue;
            const std::string name = bounded(s.name);
            const std::uint64_t begin = s.at + s.data, end = begin + s.bytes;
            if (at >= end && at < s.at + (s.pages + 1) * page) return corrupted(fmt::format("touched byte {} past the end of {}", at - end, name));
            if (at < begin && at + page >= s.at) return corrupted(fmt::format("touched byte {} before {}", begin - at, name));
            if (at >= begin && at < end) return corrupted(fmt::format("wrote to its input {} at byte {}", name, at - begin));
        }
    }
    if (c.signal == SIGSEGV && c.code == SI_KERNEL)  // the processor gives no address
        return {Event::crashed, "general protection fault: a vector access that needs alignment (say so in entry.align), or a wild pointer", {}, {}, 0};
    return {Event::crashed, fmt::format("{} at address {:#x}", strsignal(c.signal), c.address), {}, {}, 0};
}

}  // namespace ulpgate
