#include "impls/subject/child.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "impls/cuda/driver/driver.hpp"
#include "impls/subject/device.hpp"
#include "impls/subject/pack.hpp"

namespace ulpgate::child {
namespace {

constexpr std::uint32_t most_past_end = 65536;  // bytes: mapped behind every input of every case

Control* control;

void on_signal(int signal, siginfo_t* info, void*) {
    control->signal = signal;
    control->code = info->si_code;
    control->address = reinterpret_cast<std::uint64_t>(info->si_addr);
    _exit(exit_fault);
}

template <class... A>
[[noreturn]] void leave(int code, const char* format, A... a) {
    if constexpr (sizeof...(a) == 0) std::snprintf(control->error, sizeof control->error, "%s", format);
    else std::snprintf(control->error, sizeof control->error, format, a...);
    _exit(code);
}

void catch_signals() {
    static char stack[64 << 10];
    const stack_t alternative{stack, 0, sizeof stack};
    sigaltstack(&alternative, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) sigaction(s, &action, nullptr);
}

const ulpgate_entry& entry_at(const ulpgate_descriptor& d, std::uint32_t k) {
    return *reinterpret_cast<const ulpgate_entry*>(reinterpret_cast<const char*>(d.entries) + k * d.entry_size);
}

// The argument struct that an entry takes, as its author compiled it.
void validate_arguments(const ulpgate_descriptor& d, int which) {
    constexpr const char* structs[] = {"ulpgate_rmsnorm", "ulpgate_mla_query", "ulpgate_linear"};
    constexpr std::size_t sizes[] = {sizeof(ulpgate_rmsnorm), sizeof(ulpgate_mla_query), sizeof(ulpgate_linear)};
    if (d.args_size[which] < sizes[which])
        leave(exit_not_loaded, "its %s has %u bytes, at least %zu are needed: begin the descriptor with ULPGATE_HEAD", structs[which],
              d.args_size[which], sizes[which]);
    if (d.args_size[which] > sizes[which])
        leave(exit_not_loaded, "its %s has %u bytes, this ulpgate's has %zu: built with a newer header than this program", structs[which],
              d.args_size[which], sizes[which]);
}

void validate(const ulpgate_descriptor& d) {
    constexpr std::size_t needed = offsetof(ulpgate_descriptor, unavailable);
    if (d.size < needed)
        leave(exit_not_loaded, "the descriptor says it is %zu bytes long, at least %zu are needed: begin it with ULPGATE_HEAD", d.size, needed);
    if (d.abi != ULPGATE_ABI)
        leave(exit_not_loaded, "built for ABI version %u, this ulpgate speaks %u: rebuild it with the ulpgate_kernel.h of `ulpgate new`", d.abi,
              ULPGATE_ABI);
    if (d.size > needed && d.unavailable) leave(exit_unavailable, "%s", d.unavailable);
    if (d.device > ULPGATE_CUDA) leave(exit_unavailable, "device %u is neither the CPU (0) nor CUDA (1): no runner for it here", d.device);
    if (d.device == ULPGATE_CUDA && !cuda::Driver::get().unavailable().empty()) leave(exit_unavailable, "%s", cuda::Driver::get().unavailable().c_str());
    if (d.entry_count == 0 || !d.entries) leave(exit_not_loaded, "the descriptor lists no entry");
    if (d.entry_count > entries) leave(exit_not_loaded, "the descriptor lists %u entries, at most %zu are read", d.entry_count, entries);
    if (d.entry_size < offsetof(ulpgate_entry, user))
        leave(exit_not_loaded, "entry_size is %u bytes, at least %zu are needed: begin the descriptor with ULPGATE_HEAD", d.entry_size,
              offsetof(ulpgate_entry, user));
    for (std::uint32_t k = 0; k < d.entry_count; ++k) {
        const ulpgate_entry& e = entry_at(d, k);
        if (e.size < offsetof(ulpgate_entry, user))
            leave(exit_not_loaded, "entry %u says it is %zu bytes long, at least %zu are needed: .size = sizeof(ulpgate_entry)", k, e.size,
                  offsetof(ulpgate_entry, user));
        if (!e.contract) leave(exit_not_loaded, "entry %u has no contract text; \"bf16\" alone claims nothing and is enough", k);
        if (std::strlen(e.contract) >= sizeof control->entry[k].contract) leave(exit_not_loaded, "the contract of entry %u is too long", k);
        if (!e.rmsnorm + !e.mla_query + !e.linear != 2)
            leave(exit_not_loaded, "entry %u (%s) needs exactly one function: rmsnorm, mla_query or linear", k, e.contract);
        validate_arguments(d, e.rmsnorm ? 0 : e.mla_query ? 1 : 2);
        if (e.align & (e.align - 1) || e.align > page)
            leave(exit_not_loaded, "entry %u (%s): align %u is not a power of two up to 4096", k, e.contract, e.align);
        if (e.readable_past_end > most_past_end)
            leave(exit_not_loaded, "entry %u (%s): readable_past_end %u is more than %u bytes", k, e.contract, e.readable_past_end, most_past_end);
    }
}

void publish(const ulpgate_descriptor& d) {
    std::snprintf(control->name, sizeof control->name, "%s", d.name ? d.name : "");
    std::snprintf(control->version, sizeof control->version, "%s", d.version ? d.version : "");
    for (std::uint32_t k = 0; k < d.entry_count; ++k) {
        const ulpgate_entry& e = entry_at(d, k);
        EntryText& t = control->entry[k];
        std::strcpy(t.contract, e.contract);
        t.abi = e.rmsnorm ? 0 : e.mla_query ? 1 : 2;
        t.align = e.align;
        t.readable_past_end = e.readable_past_end;
        t.d_min = e.d_min;
        t.d_max = e.d_max;
        t.d_divisor = e.d_divisor;
    }
    control->entry_count = d.entry_count;
}

char* map_slots() {
    static char* base;
    static std::uint64_t mapping, reserved;
    if (base && mapping == control->mapping) return base;
    if (base) munmap(base, reserved);
    reserved = control->reservation;
    mapping = control->mapping;
    base = static_cast<char*>(mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base == MAP_FAILED) leave(exit_not_loaded, "%zu bytes for the tensors cannot be reserved", static_cast<std::size_t>(reserved));
    control->base = reinterpret_cast<std::uint64_t>(base);
    for (const Slot& s : control->slot) {
        if (!s.name[0]) break;
        if (!s.pages) continue;
        const int rights = s.writable ? PROT_READ | PROT_WRITE : PROT_READ;
        if (mmap(base + s.at, s.pages * page, rights, MAP_SHARED | MAP_FIXED | MAP_POPULATE, s.writable ? arena_fd : inputs_fd, static_cast<off_t>(s.file)) == MAP_FAILED)
            leave(exit_not_loaded, "the memory of %s cannot be mapped", s.name);
    }
    return base;
}

// A guard page on both sides; flush with the one behind it.
bool give_workspace(Arguments& args, const ulpgate_entry& e) {
    static char* mapped;
    static std::size_t pages;
    const std::size_t n = e.workspace ? e.workspace(&args) : 0;
    control->workspace = control->workspace_bytes = 0;
    if (!n) return true;
    const auto none = [n] {
        std::snprintf(control->error, sizeof control->error, "asks for a workspace of %zu bytes, which cannot be had", n);
        return false;
    };
    if (n > std::size_t{1} << 46) return none();
    const std::size_t wanted = (n + page - 1) / page;
    if (wanted != pages) {
        if (mapped) munmap(mapped, (pages + 2) * page);
        pages = 0;
        mapped = static_cast<char*>(mmap(nullptr, (wanted + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (mapped == MAP_FAILED) mapped = nullptr;
        if (!mapped || mprotect(mapped + page, wanted * page, PROT_READ | PROT_WRITE)) {
            if (mapped) munmap(mapped, (wanted + 2) * page);
            mapped = nullptr;
            return none();
        }
        pages = wanted;
    }
    std::memset(mapped + page, static_cast<int>(control->poison), pages * page);
    char* at = mapped + page + (pages * page - n) / 256 * 256;
    args.call.workspace = at;
    args.call.workspace_bytes = n;
    control->workspace = reinterpret_cast<std::uint64_t>(at);
    control->workspace_bytes = n;
    return true;
}

// The call on device memory. What a guard page would have stopped is told as if one had.
int call_on_device(const ulpgate_entry& e) {
    static DeviceMemory memory(cuda::Driver::get());
    char* host = map_slots();
    Arguments args;
    try {
        pack(args, *control, memory.put(*control, host), e);
        args.call.stream = cuda::Driver::get().stream();
        control->workspace = control->workspace_bytes = 0;
        if (const std::size_t n = e.workspace ? e.workspace(&args) : 0) {
            args.call.workspace = memory.workspace(n, static_cast<std::uint8_t>(control->poison));
            args.call.workspace_bytes = n;
            control->workspace = reinterpret_cast<std::uint64_t>(args.call.workspace);
            control->workspace_bytes = n;
        }
        control->phase = inside_kernel;
        const int status = call(args, e);
        if (const auto address = memory.get(*control, host)) {
            control->signal = SIGSEGV;
            control->code = 0;
            control->address = address;
            _exit(exit_fault);
        }
        return status;
    } catch (const cuda::DriverError& error) {
        leave(exit_device, "%s", error.what());  // an error of a kernel stays with its context
    }
}

bool step() {
    const char c = 1;
    return write(socket_fd, &c, 1) == 1;
}

}  // namespace

int serve(const std::function<Loaded()>& load) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    control = static_cast<Control*>(mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control_fd, 0));
    if (control == MAP_FAILED) return 3;
    catch_signals();
    control->phase = loading;
    const Loaded loaded = load();
    if (!loaded.descriptor) leave(exit_not_loaded, "%s", loaded.error.c_str());
    const ulpgate_descriptor& d = *loaded.descriptor;
    control->mxcsr = _mm_getcsr();
    validate(d);
    publish(d);
    const unsigned mode = control->mxcsr;
    for (;;) {
        control->phase = idle;
        char c;
        if (!step() || read(socket_fd, &c, 1) != 1) _exit(0);
        const ulpgate_entry& e = entry_at(d, control->called);
        bool ready = true;
        if (d.device == ULPGATE_CUDA) {
            control->status = call_on_device(e);
        } else {
            Arguments args;
            pack(args, *control, map_slots(), e);
            control->phase = inside_kernel;
            ready = give_workspace(args, e);
            _mm_setcsr(mode & ~0x3fu);
            control->status = ready ? call(args, e) : static_cast<int>(ULPGATE_FAILED);
        }
        if (const char* said = ready && control->status == ULPGATE_FAILED && loaded.why ? loaded.why() : nullptr)
            std::snprintf(control->error, sizeof control->error, "%s", said);
        control->phase = done;
    }
}

}  // namespace ulpgate::child
