// The opcodes that are run: exact strings, each with the types of its operands and what it does to 32 lanes. A string that is
// not listed is an error, never a guess. One file of opcodes/ a group; pure<f>() makes the handler of a function of one lane.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "impls/cuda/ptx/machine.hpp"
#include "impls/cuda/ptx/numeric.hpp"
#include "reference/base/piece.hpp"
#include "reference/simd/dispatch.hpp"

namespace ulpgate::ptx {

// What one operand must be. A vector of n registers has count n; `destination` is written.
struct Slot {
    enum class Is : std::uint8_t { reg, pred, label, global, shared, parameter, number, pair } is = Is::reg;
    std::uint8_t width = 32;  // bits of a register; of memory: bits of one element
    std::uint8_t count = 1;
    bool destination = false, real = false;  // real: takes 0f, 0d literals
    bool wider = false;                      // a wider register is right too (ld, st)
    bool optional = false;                   // may be left out
};

struct Opcode {
    std::vector<Slot> slots;
    Handler run = nullptr;
    Flow flow = Flow::next;
    std::uint32_t aux = 0;
    int members = -1;  // the operand with a member mask, or -1
    bool whole = false;  // all lanes of the warp, or a fault
};

class OpcodeTable {
  public:
    // names: exact opcodes, separated by blanks.
    void add(std::string_view names, const Opcode&);
    const Opcode* find(std::string_view name) const;
    std::vector<std::string> names() const;

  private:
    std::unordered_map<std::string, Opcode> all_;
};
const OpcodeTable& opcode_table();

struct OpcodeGroup {
    std::string_view what;
    void (*add)(OpcodeTable&);
};

#if defined(__clang__)
#define ULPGATE_LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int l = 0; l < lanes; ++l)
#else
#define ULPGATE_LANES _Pragma("GCC ivdep") for (int l = 0; l < lanes; ++l)
#endif

template <class T>
constexpr Slot slot_of(bool destination) {
    constexpr bool real = std::is_floating_point_v<T>;
    constexpr auto width = static_cast<std::uint8_t>(std::is_same_v<T, b16> ? 16 : 8 * sizeof(T));
    return {Slot::Is::reg, width, 1, destination, real, false, false};
}

// d[l] = f(a[l], ...) on the active lanes. A source may be the destination.
template <auto f, class D, class... A>
ULPGATE_INLINE void lane_loop(D* d, const Mask& m, const A*... a) {
    if (m.full) {
        ULPGATE_LANES d[l] = f(a[l]...);
    } else {
        ULPGATE_LANES {
            const D t = f(a[l]...);
            if (m.lane[l]) d[l] = t;
        }
    }
}

template <auto f, class F>
struct Pure;
template <auto f, class D, class... A>
struct Pure<f, D (*)(A...)> {
    template <std::size_t... k>
    static ULPGATE_INLINE void body(Warp& w, const Instruction& i, const Mask& m, std::index_sequence<k...>) {
        lane_loop<f>(w.lane<D>(i.o[0]), m, static_cast<const A*>(w.lane<A>(i.o[k + 1]))...);
    }
    static void portable(Warp& w, const Instruction& i, const Mask& m) { body(w, i, m, std::index_sequence_for<A...>{}); }
    ULPGATE_AVX2 static void avx2(Warp& w, const Instruction& i, const Mask& m) { body(w, i, m, std::index_sequence_for<A...>{}); }
    static Opcode opcode() { return {{slot_of<D>(true), slot_of<A>(false)...}, has_avx2() ? avx2 : portable}; }
};
// A handler compiled for both targets. body: ULPGATE_INLINE.
template <auto body>
struct OnLanes {
    static void portable(Warp& w, const Instruction& i, const Mask& m) { body(w, i, m); }
    ULPGATE_AVX2 static void avx2(Warp& w, const Instruction& i, const Mask& m) { body(w, i, m); }
};
template <auto body>
Handler on_lanes() {
    return has_avx2() ? OnLanes<body>::avx2 : OnLanes<body>::portable;
}
// d[l] = s[l] on the active lanes.
template <class T>
ULPGATE_INLINE void write_lanes(T* d, const Mask& m, const T* s) {
    if (m.full) {
        ULPGATE_LANES d[l] = s[l];
    } else {
        ULPGATE_LANES if (m.lane[l]) d[l] = s[l];
    }
}

// f: a lambda without captures, D(A...).
template <auto f>
Opcode pure() {
    return Pure<f, decltype(+f)>::opcode();
}

}  // namespace ulpgate::ptx

namespace ulpgate::opcodes {  // generated: one a file of opcodes/
std::span<const ptx::OpcodeGroup* const> all();
}
