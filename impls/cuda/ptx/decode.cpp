#include "impls/cuda/ptx/decode.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/opcode.hpp"
#include "impls/cuda/ptx/registers.hpp"

namespace ulpgate::ptx {
namespace {

using Kind = Operand::Kind;

int bits(Width w) { return w == Width::pred ? 1 : 8 * static_cast<int>(bytes(w)); }
std::uint32_t round_up(std::uint32_t v, std::uint32_t to) { return (v + to - 1) / to * to; }

// Ada computes as Ampere does, Blackwell as Hopper (reference/tensor_core).
const TensorCore* tensor_core_of(const std::string& target) {
    if (target.starts_with("sm_8")) return &ampere;
    return target.starts_with("sm_90") || target.starts_with("sm_10") ? &hopper : nullptr;
}

class Decoder {
  public:
    Decoder(const Module& m, const KernelText& k) : module_(m), kernel_(k) {}

    Program run() {
        p_.kernel = kernel_.name;
        p_.parameter_bytes = kernel_.parameter_bytes;
        p_.max_threads = kernel_.max_threads;
        p_.required_block = kernel_.required_block;
        p_.tensor_core = tensor_core_of(module_.target);
        place_shared();
        auto placed = place_registers(kernel_);
        places_ = std::move(placed.at);
        p_.register_bytes = placed.bytes;
        for (const auto& s : kernel_.statements) statement(s);
        Instruction end;
        end.flow = Flow::leave;
        end.line = kernel_.statements.empty() ? kernel_.line : kernel_.statements.back().line;
        p_.code.push_back(end);
        p_.text.emplace_back("end of the kernel");
        for (const auto& [name, at] : kernel_.labels) p_.code[at].label = true;
        for (auto k = p_.code.size(); k-- > 0;) {
            auto& i = p_.code[k];
            if (i.flow == Flow::next && i.guard < 0 && !i.converges) i.straight = p_.code[k + 1].label ? 1 : 1 + p_.code[k + 1].straight;
        }
        return std::move(p_);
    }

  private:
    std::int32_t place(std::uint32_t size) {
        const auto at = size >= 64 ? round_up(p_.register_bytes, 64) : p_.register_bytes;
        p_.register_bytes = at + size;
        return static_cast<std::int32_t>(at);
    }
    std::int32_t constant(std::uint64_t v, bool wide) {
        const auto [it, fresh] = constants_.try_emplace({v, wide}, 0);
        if (!fresh) return it->second;
        const std::size_t at = p_.constants.size(), size = wide ? 8 : 4;
        p_.constants.resize(at + round_up(static_cast<std::uint32_t>(size) * lanes, 64));
        for (int l = 0; l < lanes; ++l) std::memcpy(&p_.constants[at + static_cast<std::size_t>(l) * size], &v, size);
        return it->second = ~static_cast<std::int32_t>(at);
    }
    std::int32_t special(const std::string& name, int line) {
        for (std::size_t k = 0; k < std::size(special_registers); ++k) {
            if (name != special_registers[k]) continue;
            const auto [it, fresh] = specials_.try_emplace(name, 0);
            if (fresh) p_.specials.push_back({static_cast<int>(k), it->second = place(4 * lanes)});
            return it->second;
        }
        fail(line, fmt::format("'{}' is no register that is run", name));
    }
    void place_shared() {
        std::vector<const SharedVariable*> dynamic;
        const auto add = [&](const SharedVariable& v) {
            if (v.dynamic) return dynamic.push_back(&v);
            p_.shared_bytes = round_up(p_.shared_bytes, v.align);
            shared_[v.name] = p_.shared_bytes;
            p_.shared_bytes += v.size;
        };
        for (const auto& v : kernel_.shared) add(v);
        for (const auto& v : module_.shared)
            if (used(v.name)) add(v);
        for (const auto* v : dynamic) p_.shared_bytes = round_up(p_.shared_bytes, std::max(v->align, 16u));
        for (const auto* v : dynamic) shared_[v->name] = p_.shared_bytes;
        p_.dynamic_shared = !dynamic.empty();
    }
    bool used(const std::string& name) const {
        for (const auto& s : kernel_.statements)
            for (const auto& o : s.operands)
                if (o.name == name) return true;
        return false;
    }

    std::string lookup_name(const Statement& s) const {
        if (s.opcode.starts_with("ld.") && s.opcode.ends_with("32") && !s.operands.empty() && s.operands[0].kind == Kind::reg &&
            kernel_.registers[static_cast<std::size_t>(s.operands[0].reg)].width == Width::b64)
            return s.opcode + ":wide";
        if (s.opcode.starts_with("mov.b") && s.operands.size() == 2) {
            if (s.operands[0].kind == Kind::vector) return s.opcode + ":split";
            if (s.operands[1].kind == Kind::vector) return s.opcode + ":join";
        }
        return !s.operands.empty() && s.operands[0].kind == Kind::pair ? s.opcode + ":pair" : s.opcode;
    }

    void statement(const Statement& s) {
        const Opcode* op = opcode_table().find(lookup_name(s));
        if (!op) fail(s.line, fmt::format("opcode '{}' is not known to the executor", lookup_name(s)));
        Instruction i;
        i.line = s.line;
        i.run = op->run;
        i.flow = op->flow;
        i.aux = op->aux;
        if (s.guard >= 0) i.guard = places_[static_cast<std::size_t>(s.guard)], i.guard_negated = s.guard_negated;
        std::size_t k = 0, n = 0;
        const auto too = [&](const char* what) { fail(s.line, fmt::format("{} has too {} operands", s.opcode, what)); };
        std::vector<Operand> operands = s.operands;
        std::size_t first_slot = 0;
        if (!op->slots.empty() && op->slots[0].is == Slot::Is::pair) {  // d|p as two operands
            const auto both = operands[0].parts;
            operands.erase(operands.begin());
            operands.insert(operands.begin(), both.begin(), both.end());
            first_slot = 1;
        }
        for (auto at = first_slot; at < op->slots.size(); ++at) {
            const Slot& slot = op->slots[at];
            if (k == operands.size()) {
                if (!slot.optional) too("few");
                i.o[n++] = 0;
                continue;
            }
            if (slot.optional) i.aux = 1;
            const Operand& o = operands[k++];
            if (slot.count == 1) take(s, slot, o, i, n);
            else vector(s, slot, o, i, n);
        }
        if (k != operands.size()) too("many");
        if (op->whole) i.converges = i.whole = true, i.members = constant(~0u, false);
        if (op->members >= 0) i.converges = true, i.members = i.o[static_cast<std::size_t>(op->members)];
        p_.code.push_back(i);
        p_.text.push_back(s.opcode + (s.text.empty() ? "" : " " + s.text));
    }
    void vector(const Statement& s, const Slot& slot, const Operand& o, Instruction& i, std::size_t& n) {
        if (o.kind != Kind::vector || o.parts.size() != slot.count)
            fail(s.line, fmt::format("{} needs {} registers in braces", s.opcode, slot.count));
        for (const auto& part : o.parts) take(s, slot, part, i, n);
    }
    void take(const Statement& s, const Slot& slot, const Operand& o, Instruction& i, std::size_t& n) {
        switch (slot.is) {
        case Slot::Is::label:
            if (o.kind != Kind::label) fail(s.line, fmt::format("{} needs a label", s.opcode));
            i.target = static_cast<std::uint32_t>(kernel_.labels.at(o.name));
            return;
        case Slot::Is::global:
        case Slot::Is::shared:
        case Slot::Is::parameter: return address(s, slot, o, i, n);
        case Slot::Is::pred: i.o[n++] = predicate(s, o, slot.destination); return;
        default: i.o[n++] = value(s, slot, o); return;
        }
    }
    std::int32_t predicate(const Statement& s, const Operand& o, bool destination) {
        if (o.kind == Kind::sink && destination) return place(4);
        if (o.kind == Kind::integer && !destination) return constant(o.value ? ~0u : 0u, false);
        if (o.kind != Kind::reg || kernel_.registers[static_cast<std::size_t>(o.reg)].width != Width::pred) fail(s.line, fmt::format("{} needs a predicate register", s.opcode));
        if (o.negated) fail(s.line, fmt::format("{} with a negated predicate is not run", s.opcode));
        return places_[static_cast<std::size_t>(o.reg)];
    }
    std::int32_t value(const Statement& s, const Slot& slot, const Operand& o) {
        const bool wide = slot.width == 64;
        if (o.kind == Kind::reg) {
            const auto& r = kernel_.registers[static_cast<std::size_t>(o.reg)];
            const bool fits = bits(r.width) == slot.width || (slot.wider && bits(r.width) > slot.width && bits(r.width) <= 32) ||
                              (slot.width == 32 && s.opcode.starts_with("cvt") && s.opcode.ends_with("8") && r.width == Width::b16);
            if (r.width == Width::pred || !fits) fail(s.line, fmt::format("{}: register {} has {} bits where {} are needed", s.opcode, r.name, bits(r.width), slot.width));
            return places_[static_cast<std::size_t>(o.reg)];
        }
        if (slot.destination) {
            if (o.kind == Kind::sink) return place(8 * lanes);
            fail(s.line, fmt::format("{} needs a register to write", s.opcode));
        }
        switch (o.kind) {
        case Kind::integer: {
            if (slot.real) fail(s.line, fmt::format("{}: an integer where a float is needed", s.opcode));
            const std::uint64_t mask = wide ? ~std::uint64_t{0} : slot.width >= 32 ? 0xffffffffu : (1u << slot.width) - 1;
            return constant(o.value & mask, wide);
        }
        case Kind::f32:
        case Kind::f64:
            if (!slot.real && !s.opcode.starts_with("mov.b") && !s.opcode.starts_with("st.") && !s.opcode.starts_with("selp.b")) fail(s.line, fmt::format("{}: a float where an integer is needed", s.opcode));
            if ((o.kind == Kind::f64) != wide) fail(s.line, fmt::format("{}: a literal of another width", s.opcode));
            return constant(o.value, wide);
        case Kind::symbol:
            if (const auto it = shared_.find(o.name); it != shared_.end() && s.opcode.starts_with("mov."))
                return constant(it->second + static_cast<std::uint64_t>(o.offset), wide);
            for (const auto& p : kernel_.parameters)
                if (p.name == o.name && s.opcode.starts_with("mov.")) return constant(p.offset + static_cast<std::uint64_t>(o.offset), wide);
            break;
        case Kind::special:
            if (!wide && slot.width == 32) return special(o.name, s.line);
            break;
        default: break;
        }
        fail(s.line, fmt::format("{}: operand {} does not fit", s.opcode, o.name));
    }
    void address(const Statement& s, const Slot& slot, const Operand& o, Instruction& i, std::size_t& n) {
        if (o.kind != Kind::memory) fail(s.line, fmt::format("{} needs an address in brackets", s.opcode));
        i.offset = o.offset;
        if (slot.is == Slot::Is::shared) i.target = static_cast<std::uint32_t>(o.offset);
        if (slot.is == Slot::Is::parameter) return parameter(s, slot, o, i, n);
        const bool global = slot.is == Slot::Is::global;
        if (o.reg >= 0) {
            const auto& r = kernel_.registers[static_cast<std::size_t>(o.reg)];
            if (global != (r.width == Width::b64)) {
                if (global || r.width != Width::b64) fail(s.line, fmt::format("{}: register {} has {} bits, an address {}", s.opcode, r.name, bits(r.width), global ? 64 : 32));
                fail(s.line, fmt::format("{}: 64-bit shared addresses are not run", s.opcode));
            }
            i.o[n++] = places_[static_cast<std::size_t>(o.reg)];
            return;
        }
        const auto it = shared_.find(o.name);
        if (it == shared_.end() || global) fail(s.line, fmt::format("{}: '{}' is no address that is run", s.opcode, o.name));
        i.o[n++] = constant(it->second, false);
    }
    // By name; or by a register that `mov` gave a parameter's address: an offset into all parameters, checked as it runs.
    void parameter(const Statement& s, const Slot& slot, const Operand& o, Instruction& i, std::size_t& n) {
        if (o.reg >= 0) {
            const auto& r = kernel_.registers[static_cast<std::size_t>(o.reg)];
            if (r.width != Width::b64) fail(s.line, fmt::format("{}: register {} has {} bits, an address 64", s.opcode, r.name, bits(r.width)));
            i.aux = 1;
            i.o[n++] = places_[static_cast<std::size_t>(o.reg)];
            return;
        }
        for (const auto& p : kernel_.parameters) {
            if (p.name != o.name) continue;
            if (o.offset < 0 || o.offset > static_cast<std::int64_t>(p.size) - slot.width / 8) fail(s.line, fmt::format("{} reads past the end of parameter {}, which has {} bytes", s.opcode, p.name, p.size));
            i.offset += p.offset;
            i.o[n++] = 0;
            return;
        }
        fail(s.line, fmt::format("{}: '{}' is no parameter", s.opcode, o.name));
    }

    const Module& module_;
    const KernelText& kernel_;
    Program p_;
    std::vector<std::int32_t> places_;
    std::map<std::pair<std::uint64_t, bool>, std::int32_t> constants_;
    std::map<std::string, std::int32_t> specials_;
    std::map<std::string, std::uint32_t> shared_;
};

}  // namespace

Program decode(const Module& m, const KernelText& k) { return Decoder(m, k).run(); }

}  // namespace ulpgate::ptx
