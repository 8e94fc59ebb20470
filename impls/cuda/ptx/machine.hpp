// The machine that runs decoded PTX: warps of 32 lanes as structure of arrays, blocks of warps, one block after another.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "impls/cuda/ptx/async_copies.hpp"
#include "impls/cuda/ptx/mbarriers.hpp"
#include "impls/cuda/ptx/memory.hpp"
#include "reference/tensor_core/step.hpp"

namespace ulpgate::ptx {

inline constexpr int lanes = 32;

struct Mask {
    alignas(64) std::uint32_t lane[lanes];  // all ones or zero
    std::uint32_t bits = 0;
    bool full = false, valid = false;

    void set(std::uint32_t b) {
        if (b == bits && valid) return;
        valid = true;
        bits = b;
        full = b == ~0u;
        for (int l = 0; l < lanes; ++l) lane[l] = (b >> l & 1) ? ~0u : 0u;
    }
};

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&, const Mask&);

enum class Flow : std::uint8_t { next, poll, branch, leave, barrier };  // poll: as next, and may ask for the other warps to run

// What every instruction reads comes first, in one cache line.
struct alignas(64) Instruction {
    Handler run = nullptr;
    // Byte offsets: of a register in the warp's lanes, or ~ of a constant's. In the opcode's order, vectors flattened.
    std::array<std::int32_t, 14> o{};
    std::int64_t offset = 0;  // added to an address
    std::uint32_t straight = 0;  // instructions from here on of which each follows the one before, without a guard or a wait
    Flow flow = Flow::next;
    bool guard_negated = false;
    bool label = false;      // a branch may come here
    bool converges = false;  // shfl, vote, bar.warp: waits for the lanes that its member mask names
    bool whole = false;      // mma, ldmatrix: needs all lanes
    std::int32_t guard = -1; // byte offset of a predicate, or -1
    std::uint32_t target = 0;  // of a branch; of cp.async: what is added to the shared address
    std::uint32_t aux = 0;
    std::int32_t members = 0;  // where `converges`: the operand with the member mask
    int line = 0;
};

// Which value an approximate instruction gives: the nearest float, or the lowest or highest that its documented bound allows.
enum class Approximate : std::uint8_t { nearest, low, high };

struct Program {
    std::string kernel;
    std::vector<Instruction> code;
    std::vector<std::string> text;  // per instruction, for messages and the trace
    std::uint32_t register_bytes = 0;
    std::vector<std::uint8_t> constants;  // 32 lanes each
    std::uint32_t parameter_bytes = 0, shared_bytes = 0, max_threads = 0;
    std::array<std::uint32_t, 3> required_block{};  // 0: any
    bool dynamic_shared = false;
    const TensorCore* tensor_core = nullptr;  // the target's, as far as it is modelled
    struct Special {
        int which;  // index into special_registers
        std::int32_t at;
    };
    std::vector<Special> specials;
};

struct Extent {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct Fragment {  // lanes of a warp that stand at one instruction
    enum class Wait : std::uint8_t { no, barrier, members };
    std::uint32_t pc, mask;
    Wait wait = Wait::no;
    std::uint32_t barrier = 0;
};

struct Block;

struct Warp {
    std::uint8_t* registers;
    const std::uint8_t* constants;
    Block* block;
    std::uint32_t id, live;  // live: lanes that have not left
    std::vector<Fragment> fragments;
    Mask mask;
    std::uint32_t epoch;  // bar.warp.sync's so far
    bool yields = false;  // a wait has failed: the other warps are to run

    template <class T>
    T* lane(std::int32_t o) {
        return reinterpret_cast<T*>(o >= 0 ? registers + o : const_cast<std::uint8_t*>(constants) + ~o);
    }
};

struct Launch {
    Extent grid, block;
    std::uint32_t dynamic_shared = 0;
    std::vector<std::uint8_t> parameters;
    std::uint8_t poison = 0xff;                     // of registers and shared memory before they are written
    Approximate approximate = Approximate::nearest;
    std::optional<int> least_exponent = {};         // that tensor cores align to, instead of the target's
    std::uint64_t budget = std::uint64_t{1} << 25;  // warp instructions a block may run
    std::uint32_t shared_limit = 232448;            // bytes a block (sm_90's; sm_80: 166912)
    // Called before each instruction of each warp that runs, where set: the trace.
    std::function<void(const Warp&, const Instruction&, std::uint32_t active)> trace;
};

struct Block {
    const Program* program;
    const Launch* launch;
    Memory* memory;
    Shared shared;
    AsyncCopies copies;
    Mbarriers mbarriers;
    Extent index;
    std::vector<Warp> warps;
    std::uint32_t live_threads = 0;
    std::array<std::uint32_t, 16> arrived{}, expected{};
    std::uint64_t instructions = 0;
    std::string where(const Warp&, int lane) const;  // "block (3,0,0) thread (5,0,0)"
};

[[noreturn]] void fault(const Warp&, const Instruction&, int lane, const std::string& what);

// Runs the whole grid. Throws Error: line, instruction, block and thread, and what is wrong.
void run(const Program&, const Launch&, Memory&);

inline constexpr const char* special_registers[] = {"%tid.x",     "%tid.y",     "%tid.z",     "%ntid.x",       "%ntid.y",       "%ntid.z",
                                                    "%ctaid.x",   "%ctaid.y",   "%ctaid.z",   "%nctaid.x",     "%nctaid.y",     "%nctaid.z",
                                                    "%laneid",    "%warpid",    "%nwarpid",   "%lanemask_eq",  "%lanemask_lt",  "%lanemask_le",
                                                    "%lanemask_gt", "%lanemask_ge", "%dynamic_smem_size"};

}  // namespace ulpgate::ptx
