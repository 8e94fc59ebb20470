// ld and st of global, shared and parameter memory, one, two or four elements, every access checked: inside a tensor,
// aligned to its whole size, and in shared memory ordered by a barrier.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "impls/cuda/ptx/access.hpp"
#include "impls/cuda/ptx/opcode.hpp"

namespace ulpgate::opcodes {
using namespace ptx;
namespace {

// A 16-bit or 8-bit element lies in the low bits of a 32-bit lane; a signed one extends its sign. So does a 32-bit element that is
// loaded into a register of 64 bits.
template <class E>
struct Wide {
    E v;
    explicit operator u64() const { return static_cast<u64>(static_cast<std::int64_t>(v)); }
};
template <class E>
constexpr bool is_wide = false;
template <class E>
constexpr bool is_wide<Wide<E>> = true;
template <class E>
using Lane = std::conditional_t<sizeof(E) == 8 || is_wide<E>, u64, std::conditional_t<std::is_signed_v<E>, i32, u32>>;

typedef u32 Words __attribute__((vector_size(32)));

template <int n, class E>
std::uint8_t* global(Warp& w, const Instruction& i, int l, u64 address, bool write) {
    constexpr u64 bytes = n * sizeof(E);
    check_alignment(w, i, l, address, bytes);
    auto* p = w.block->memory->find(address, bytes, write);
    if (!p) fault(w, i, l, w.block->memory->describe(address, bytes, write));
    return p;
}
// All lanes active and side by side in one piece: its bytes, or nullptr.
template <int n, class E>
ULPGATE_INLINE std::uint8_t* whole(Warp& w, const Instruction& i, const Mask& m, const u64* a, bool write) {
    constexpr u64 bytes = n * sizeof(E);
    if (!m.full) return nullptr;
    u64 apart = 0;
    ULPGATE_LANES apart |= a[l] ^ (a[0] + bytes * static_cast<u64>(l));
    const u64 address = a[0] + static_cast<u64>(i.offset);
    return apart || address % bytes ? nullptr : w.block->memory->find_span(address, bytes * lanes, write);
}

// Four words a lane, to a register each: 8 x 4 words at a time.
ULPGATE_INLINE void load_four_words(Warp& w, const Instruction& i, const std::uint8_t* p) {
    for (int l = 0; l < lanes; l += 8, p += 128) {
        Words v[4];
        std::memcpy(v, p, sizeof v);
        for (Words& x : v) x = __builtin_shufflevector(x, x, 0, 4, 1, 5, 2, 6, 3, 7);
        const Words even[2] = {__builtin_shufflevector(v[0], v[1], 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(v[2], v[3], 0, 1, 8, 9, 4, 5, 12, 13)};
        const Words odd[2] = {__builtin_shufflevector(v[0], v[1], 2, 3, 10, 11, 6, 7, 14, 15), __builtin_shufflevector(v[2], v[3], 2, 3, 10, 11, 6, 7, 14, 15)};
        const Words out[4] = {__builtin_shufflevector(even[0], even[1], 0, 1, 2, 3, 8, 9, 10, 11), __builtin_shufflevector(odd[0], odd[1], 0, 1, 2, 3, 8, 9, 10, 11),
                              __builtin_shufflevector(even[0], even[1], 4, 5, 6, 7, 12, 13, 14, 15), __builtin_shufflevector(odd[0], odd[1], 4, 5, 6, 7, 12, 13, 14, 15)};
        for (std::size_t k = 0; k < 4; ++k) std::memcpy(w.lane<u32>(i.o[k]) + l, &out[k], sizeof out[k]);
    }
}
template <int n, class E>
ULPGATE_INLINE void load_global(Warp& w, const Instruction& i, const Mask& m) {
    const u64* a = w.lane<u64>(i.o[n]);
    if (const auto* p = whole<n, E>(w, i, m, a, false)) {
        if constexpr (n == 4 && sizeof(E) == 4) return load_four_words(w, i, p);
        for (int k = n; k-- > 0;) {
            auto* d = w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k)]);
            E e[lanes * n];
            std::memcpy(e, p, sizeof e);
            ULPGATE_LANES d[l] = static_cast<Lane<E>>(e[l * n + k]);
        }
        return;
    }
    const E* from[lanes];
    for (int l = 0; l < lanes; ++l)
        if (m.lane[l]) from[l] = reinterpret_cast<const E*>(global<n, E>(w, i, l, a[l] + static_cast<u64>(i.offset), false));
    for (int k = 0; k < n; ++k) {
        auto* d = w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k)]);
        for (int l = 0; l < lanes; ++l)
            if (m.lane[l]) {
                E e;
                std::memcpy(&e, from[l] + k, sizeof e);
                d[l] = static_cast<Lane<E>>(e);
            }
    }
}
template <int n, class E>
ULPGATE_INLINE void store_global(Warp& w, const Instruction& i, const Mask& m) {
    const u64* a = w.lane<u64>(i.o[0]);
    if (auto* p = whole<n, E>(w, i, m, a, true)) {
        E e[lanes * n];
        for (int k = 0; k < n; ++k) {
            const auto* s = w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k + 1)]);
            ULPGATE_LANES e[l * n + k] = static_cast<E>(s[l]);
        }
        std::memcpy(p, e, sizeof e);
        return;
    }
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        auto* p = global<n, E>(w, i, l, a[l] + static_cast<u64>(i.offset), true);
        for (int k = 0; k < n; ++k) {
            const E e = static_cast<E>(w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k + 1)])[l]);
            std::memcpy(p + static_cast<std::size_t>(k) * sizeof e, &e, sizeof e);
        }
    }
}

template <int n, class E>
void load_shared(Warp& w, const Instruction& i, const Mask& m) {
    const u32* a = w.lane<u32>(i.o[n]);
    E e[lanes][n];
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const u32 at = shared_bytes(w, i, l, a[l] + static_cast<u32>(i.offset), n * sizeof(E));
        if (const auto wrong = w.block->shared.read(at, sizeof e[l], shared_access(w, i, l), e[l]); !wrong.empty()) fault(w, i, l, wrong);
    }
    for (int k = 0; k < n; ++k) {
        auto* d = w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k)]);
        for (int l = 0; l < lanes; ++l)
            if (m.lane[l]) d[l] = static_cast<Lane<E>>(e[l][k]);
    }
}
template <int n, class E>
void store_shared(Warp& w, const Instruction& i, const Mask& m) {
    const u32* a = w.lane<u32>(i.o[0]);
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        E e[n];
        for (int k = 0; k < n; ++k) e[k] = static_cast<E>(w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k + 1)])[l]);
        const u32 at = shared_bytes(w, i, l, a[l] + static_cast<u32>(i.offset), n * sizeof(E));
        if (const auto wrong = w.block->shared.write(at, sizeof e, shared_access(w, i, l), e); !wrong.empty()) fault(w, i, l, wrong);
    }
}

// At an address that a register holds: an offset into the parameters.
template <int n, class E>
void load_parameter_at(Warp& w, const Instruction& i, const Mask& m) {
    const auto& all = w.block->launch->parameters;
    const u64* a = w.lane<u64>(i.o[n]);
    E e[lanes][n];
    for (int l = 0; l < lanes; ++l) {
        if (!m.lane[l]) continue;
        const u64 at = a[l] + static_cast<u64>(i.offset);
        check_alignment(w, i, l, at, sizeof e[l]);
        if (at > all.size() || all.size() - at < sizeof e[l]) fault(w, i, l, fmt::format("{} bytes at byte {} of the parameters, which have {}", sizeof e[l], at, all.size()));
        std::memcpy(e[l], all.data() + at, sizeof e[l]);
    }
    for (int k = 0; k < n; ++k) {
        auto* d = w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k)]);
        for (int l = 0; l < lanes; ++l)
            if (m.lane[l]) d[l] = static_cast<Lane<E>>(e[l][k]);
    }
}
template <int n, class E>
ULPGATE_INLINE void load_parameter(Warp& w, const Instruction& i, const Mask& m) {
    if (i.aux) return load_parameter_at<n, E>(w, i, m);
    for (int k = 0; k < n; ++k) {
        E e;
        std::memcpy(&e, w.block->launch->parameters.data() + i.offset + static_cast<std::size_t>(k) * sizeof e, sizeof e);
        Lane<E> all[lanes];
        ULPGATE_LANES all[l] = static_cast<Lane<E>>(e);
        write_lanes(w.lane<Lane<E>>(i.o[static_cast<std::size_t>(k)]), m, all);
    }
}

struct TypeName {
    const char* name;
    std::uint8_t bits;
    bool real, wider;
};
constexpr auto element(std::uint8_t bits, int count, bool destination, bool real, bool wider) {
    return Slot{Slot::Is::reg, bits, static_cast<std::uint8_t>(count), destination, real, wider, false};
}

template <int n, class E>
void add_vector(OpcodeTable& t, TypeName type) {
    const std::string end = std::string(n == 1 ? "" : n == 2 ? ".v2." : ".v4.") + (n == 1 ? "." : "") + type.name;
    const auto bits = type.bits;
    const Opcode load{{element(bits, n, true, type.real, type.wider), {Slot::Is::global, bits}}, on_lanes<load_global<n, E>>()};
    const Opcode store{{{Slot::Is::global, bits}, element(bits, n, false, type.real, type.wider)}, on_lanes<store_global<n, E>>()};
    for (const char* how : {"ld.global", "ld.global.nc", "ld.volatile.global", "ld.relaxed.gpu.global", "ld.global.cg", "ld.global.ca", "ld.global.cs",
                            "ld.global.nc.L1::no_allocate", "ld.global.L1::no_allocate", "ld.global.nc.L1::evict_last"})
        t.add(how + end, load);
    for (const char* how : {"st.global", "st.volatile.global", "st.relaxed.gpu.global", "st.global.cg", "st.global.wt", "st.global.cs", "st.global.wb",
                            "st.global.L1::no_allocate"})
        t.add(how + end, store);
    const Opcode load_s{{element(bits, n, true, type.real, type.wider), {Slot::Is::shared, bits}}, load_shared<n, E>};
    const Opcode store_s{{{Slot::Is::shared, bits}, element(bits, n, false, type.real, type.wider)}, store_shared<n, E>};
    for (const char* how : {"ld.shared", "ld.volatile.shared", "ld.shared::cta"}) t.add(how + end, load_s);
    t.add("ld.param" + end, {{element(bits, n, true, type.real, type.wider), {Slot::Is::parameter, static_cast<std::uint8_t>(bits * n)}}, on_lanes<load_parameter<n, E>>()});
    for (const char* how : {"st.shared", "st.volatile.shared", "st.shared::cta"}) t.add(how + end, store_s);
}
template <class E>
void add_type(OpcodeTable& t, TypeName type) {
    add_vector<1, E>(t, type);
    add_vector<2, E>(t, type);
    if constexpr (sizeof(E) < 8) add_vector<4, E>(t, type);
}

template <class E>
void add_wide(OpcodeTable& t, const std::string& type) {
    const auto to = element(64, 1, true, false, false);
    t.add("ld.param." + type + ":wide", {{to, {Slot::Is::parameter, 32}}, on_lanes<load_parameter<1, E>>()});
    t.add("ld.shared." + type + ":wide", {{to, {Slot::Is::shared, 32}}, load_shared<1, E>});
    for (const char* how : {"ld.global.", "ld.global.nc."}) t.add(how + type + ":wide", {{to, {Slot::Is::global, 32}}, on_lanes<load_global<1, E>>()});
}

void add(OpcodeTable& t) {
    add_wide<Wide<i32>>(t, "s32");
    add_wide<Wide<u32>>(t, "u32");
    for (const char* name : {"u8", "b8"}) add_type<u8>(t, {name, 8, false, true});
    add_type<std::int8_t>(t, {"s8", 8, false, true});
    for (const char* name : {"u16", "b16"}) add_type<u16>(t, {name, 16, false, true});
    add_type<i16>(t, {"s16", 16, false, true});
    for (const char* name : {"u32", "b32", "s32"}) add_type<u32>(t, {name, 32, false, false});
    add_type<u32>(t, {"f32", 32, true, false});
    for (const char* name : {"u64", "b64", "s64"}) add_type<u64>(t, {name, 64, false, false});
    add_type<u64>(t, {"f64", 64, true, false});
}

}  // namespace

PIECE(ptx::OpcodeGroup, memory_access) = {"loads and stores", add};

}  // namespace ulpgate::opcodes
