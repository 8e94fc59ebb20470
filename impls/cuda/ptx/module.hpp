// PTX as written: what the parser makes of it, before any opcode is known.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ulpgate::ptx {

enum class Width : std::uint8_t { pred, b8, b16, b32, b64 };
inline std::uint32_t bytes(Width w) { return w == Width::b64 ? 8 : w == Width::b32 ? 4 : w == Width::b16 ? 2 : 1; }

struct Operand {
    enum class Kind { reg, special, integer, f32, f64, symbol, label, memory, vector, pair, sink } kind = Kind::sink;
    int reg = -1;                // register number within the kernel; of memory: the base, or -1
    bool negated = false;        // !p
    std::uint64_t value = 0;     // an integer, or the bits of a float
    std::int64_t offset = 0;     // of memory and symbol
    std::string name;            // special, symbol, label; base symbol of memory
    std::vector<Operand> parts;  // of a vector or a pair p|q
};

struct Statement {
    std::string opcode;  // with every modifier: "add.rn.f32"
    std::vector<Operand> operands;
    int guard = -1;  // predicate register of @p, or -1
    bool guard_negated = false;
    int line = 0;
    std::string text;  // the operands, for a message
};

struct Parameter {
    std::string name;
    std::uint32_t offset, size;
    bool aggregate;  // a struct: declared as an array of bytes
};

struct SharedVariable {
    std::string name;
    std::uint32_t align, size;
    bool dynamic;  // extern, of a size that the launch gives
};

struct Register {
    std::string name;
    Width width;
};

struct KernelText {
    std::string name;
    int line = 0;
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::vector<Register> registers;
    std::vector<SharedVariable> shared;
    std::vector<Statement> statements;
    std::map<std::string, std::size_t> labels;  // the statement that follows
    std::uint32_t max_threads = 0;              // .maxntid; 0: not said
    std::array<std::uint32_t, 3> required_block{};  // .reqntid; 0: not said
};

struct Module {
    int version_major = 0, version_minor = 0;
    std::string target;  // "sm_80"
    std::vector<SharedVariable> shared;
    std::vector<KernelText> kernels;

    const KernelText* find(const std::string& name) const;
};

// Throws Error: what is wrong and at which line. Opcodes are not looked at.
Module parse_module(const std::string& source);

}  // namespace ulpgate::ptx
