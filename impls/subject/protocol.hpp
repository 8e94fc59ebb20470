// What parent and child share: a control page (descriptor 3), an arena with the outputs (4), a socket (5): one byte a step, and
// the inputs (6), sealed: only the parent's mapping can be written, so that no kernel changes them, by whatever means.
// The parent believes nothing that it reads here: texts are bounded, layouts are its own copy.
#pragma once
#include <atomic>
#include <cstdint>

namespace ulpgate::child {

inline constexpr std::uint64_t page = 4096;
inline constexpr int control_fd = 3, arena_fd = 4, socket_fd = 5, inputs_fd = 6;
inline constexpr int exit_fault = 200, exit_not_loaded = 201, exit_unavailable = 202, exit_device = 203;  // of the child, from a known place

enum Phase : std::uint32_t { starting, loading, idle, inside_kernel, done };

inline constexpr std::size_t slots = 24, entries = 64;

// One tensor in the reservation: [guard page][pages][guard page]. The pages lie at `file` in the arena, or in the inputs' file
// where they are not writable.
struct Slot {
    char name[16];  // as in ulpgate_kernel.h; "" ends the list
    std::uint64_t at, pages, file;
    std::uint64_t data;   // offset of the first byte within the pages
    std::uint64_t bytes;  // from the first element to the last
    std::uint32_t writable, type, rank, alias;  // alias: 1 + the slot whose memory it is; 0: its own
    std::int64_t size[4], stride[4];
};

struct EntryText {
    char contract[512];
    std::uint32_t abi, align, readable_past_end, unused;
    std::int64_t d_min, d_max, d_divisor;
};

struct Control {
    std::atomic<std::uint32_t> phase;
    // the child's answers
    std::int32_t status;  // what the kernel returned
    std::int32_t signal, code;                         // of a fault: siginfo's
    std::uint64_t address, base;                      // of a fault; of the reservation
    std::uint64_t workspace, workspace_bytes;         // where it lies; 0: none
    std::uint32_t mxcsr, entry_count;
    char error[1024], name[128], version[128];
    EntryText entry[entries];
    // the parent's question
    std::uint32_t called, threads;
    std::uint64_t mapping, reservation;  // the slots are mapped anew when `mapping` changes
    std::int64_t dims[32];               // by Dim
    std::int64_t d_stat;
    double eps, config_eps;
    std::uint32_t poison;  // byte that fills the workspace
    Slot slot[slots];
};

}  // namespace ulpgate::child
