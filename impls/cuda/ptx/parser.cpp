// PTX tokens to a module (PTX ISA 4-5). Register names live in nested scopes; labels of a scope (inline assembly repeats
// them) are made unique.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "impls/cuda/ptx/error.hpp"
#include "impls/cuda/ptx/lexer.hpp"
#include "impls/cuda/ptx/module.hpp"

namespace ulpgate::ptx {
namespace {

constexpr int newest_major = 9, newest_minor = 9;

class Parser {
  public:
    explicit Parser(const std::string& source) : tokens_(lex(source)) {}

    Module run() {
        if (!is(".version")) fail(line(), "does not begin with .version: this is no PTX text");
        while (!at_end()) declaration();
        if (module_.target.empty()) fail(line(), "no .target");
        if (module_.kernels.empty()) fail(line(), "no kernel (.entry)");
        return std::move(module_);
    }

  private:
    struct Range {  // %r<100>: %r0 to %r99
        std::uint64_t count;
        Width width;
    };
    struct Scope {
        std::map<std::string, int, std::less<>> registers;
        std::map<std::string, Range, std::less<>> ranges;
        std::map<std::string, std::string, std::less<>> labels;
    };

    bool at_end() const { return at_ + 1 >= tokens_.size(); }
    int line() const { return tokens_[at_].line; }
    std::string_view peek(std::size_t n = 0) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)].text; }
    bool is(std::string_view t) const { return peek() == t; }
    std::string_view next() {
        if (at_end()) fail(line(), "the PTX ends in the middle of a statement: it is cut off");
        return tokens_[at_++].text;
    }
    bool eat(std::string_view t) { return is(t) && (next(), true); }
    void expect(std::string_view t) {
        const int l = line();
        if (const auto got = next(); got != t) fail(l, fmt::format("'{}' is expected where '{}' stands", t, got));
    }
    std::string word() { return std::string(next()); }

    std::uint64_t number() {
        const int l = line();
        const auto text = word();
        char* end = nullptr;
        const auto v = std::strtoull(text.c_str(), &end, 0);
        if (end == text.c_str() || (*end && std::string_view(end) != "U")) fail(l, fmt::format("'{}' is no number", text));
        return v;
    }
    Width width(std::string_view type) {
        if (type == ".pred") return Width::pred;
        if (type.ends_with("64")) return Width::b64;
        if (type.ends_with("32") || type == ".f16x2" || type == ".bf16x2") return Width::b32;
        if (type.ends_with("16")) return Width::b16;
        if (type.ends_with("8")) return Width::b8;
        fail(line(), fmt::format("type '{}' is not known", type));
    }

    void skip_block() {
        int depth = 0;
        do {
            if (is("{")) ++depth;
            if (is("}")) --depth;
            next();
        } while (depth);
    }
    void skip_statement() {
        while (!is(";") && !is("{")) next();
        is("{") ? skip_block() : void(next());
        eat(";");
    }

    void declaration() {
        if (eat(".version")) return version();
        if (eat(".address_size")) {
            const int l = line();
            if (number() != 64) fail(l, "only 64-bit PTX is run");
            return;
        }
        if (eat(".target")) {
            module_.target = word();
            while (eat(",")) next();
            return;
        }
        if (eat(".visible") || eat(".weak") || eat(".extern") || eat(";")) return;
        if (eat(".shared")) return shared(module_.shared);
        if (eat(".entry")) return entry();
        if (is(".func") || is(".global") || is(".const") || is(".common") || is(".pragma")) return skip_function_or_variable();
        fail(line(), fmt::format("'{}' is not known here", peek()));
    }
    // A call or an address of one of these is an error where a kernel that is run contains it.
    void skip_function_or_variable() {
        const bool function = next() == ".func";
        if (!function) return skip_variable();
        while (!is("{") && !is(";")) next();
        is("{") ? skip_block() : void(next());
    }
    void skip_variable() {
        while (!is(";"))
            if (is("{")) skip_block();
            else next();
        next();
    }
    void version() {
        const int l = line();
        const auto text = word();
        if (std::sscanf(text.c_str(), "%d.%d", &module_.version_major, &module_.version_minor) != 2) fail(l, fmt::format("version '{}' is not known", text));
        if (module_.version_major > newest_major)
            fail(l, fmt::format("PTX version {} is newer than {}.{}, the newest whose instructions are known: compile for an older one", text, newest_major, newest_minor));
    }

    void shared(std::vector<SharedVariable>& out) {
        std::uint32_t align = 0;
        if (eat(".align")) align = static_cast<std::uint32_t>(number());
        const auto size = bytes(width(next()));
        SharedVariable v{word(), align ? align : size, size, false};
        while (eat("[")) {
            if (is("]")) v.dynamic = true, v.size = 0;
            else v.size *= static_cast<std::uint32_t>(number());
            expect("]");
        }
        expect(";");
        out.push_back(std::move(v));
    }

    void entry() {
        KernelText k;
        k.line = line();
        k.name = word();
        if (eat("("))
            while (!eat(")")) {
                parameter(k);
                eat(",");
            }
        while (!is("{")) {
            if (eat(";")) return;  // a declaration only
            if (eat(".maxntid")) {
                k.max_threads = 1;
                do k.max_threads *= static_cast<std::uint32_t>(number());
                while (eat(","));
            } else if (eat(".reqntid")) {
                std::size_t n = 0;
                k.required_block = {1, 1, 1};
                do k.required_block[std::min<std::size_t>(n++, 2)] = static_cast<std::uint32_t>(number());
                while (eat(","));
            } else next();
        }
        kernel_ = &k;
        scopes_.clear();
        labels_made_ = 0;
        declared_ = 0;
        block();
        for (const auto& s : k.statements)
            for (const auto& o : s.operands)
                if (o.kind == Operand::Kind::label && s.opcode.starts_with("bra") && !k.labels.contains(o.name)) fail(s.line, fmt::format("label '{}' does not exist", o.name));
        module_.kernels.push_back(std::move(k));
    }
    void parameter(KernelText& k) {
        expect(".param");
        std::uint32_t align = 0;
        if (eat(".align")) align = static_cast<std::uint32_t>(number());
        const auto size = bytes(width(next()));
        while (is(".ptr") || is(".global") || is(".shared") || is(".const") || is(".local") || is(".align"))
            if (next() == ".align") number();
        Parameter p{word(), 0, size, false};
        if (eat("[")) {
            p.aggregate = true;
            p.size *= static_cast<std::uint32_t>(number());
            expect("]");
        }
        if (!align) align = size;
        k.parameter_bytes = (k.parameter_bytes + align - 1) / align * align;
        p.offset = k.parameter_bytes;
        k.parameter_bytes += p.size;
        k.parameters.push_back(std::move(p));
    }

    static constexpr std::size_t deepest_block = 64;  // each reads its labels ahead, in a call of its own
    void block() {
        expect("{");
        if (scopes_.size() >= deepest_block) fail(line(), fmt::format("blocks nested deeper than {}", deepest_block));
        open_scope();
        while (!eat("}")) {
            if (is("{")) block();
            else if (eat(".reg")) registers();
            else if (eat(".shared")) shared(kernel_->shared);
            else if (is(".pragma") || is(".local")) skip_statement();
            else if (eat(";")) continue;
            else if (peek(1) == ":") label();
            else statement();
        }
        scopes_.pop_back();
    }
    // Labels may be used before they stand: those of this scope are read ahead.
    void open_scope() {
        scopes_.emplace_back();
        int depth = 1;
        for (std::size_t n = at_; n + 1 < tokens_.size() && depth; ++n) {
            const auto t = tokens_[n].text;
            depth += t == "{" ? 1 : t == "}" ? -1 : 0;
            const auto before = tokens_[n - 1].text;
            if (depth == 1 && tokens_[n + 1].text == ":" && (before == ";" || before == "{" || before == "}" || before == ":"))
                scopes_.back().labels.emplace(std::string(t), fmt::format("{}#{}", t, ++labels_made_));
        }
    }
    std::string unique_label(std::string_view name) const {
        for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
            if (const auto it = s->labels.find(name); it != s->labels.end()) return it->second;
        return std::string(name);
    }
    void label() {
        kernel_->labels[unique_label(next())] = kernel_->statements.size();
        next();
        if (eat(".branchtargets") || eat(".calltargets") || eat(".callprototype")) skip_statement();
    }
    void registers() {
        const auto type = next();
        if (type == ".v2" || type == ".v4") fail(line(), "vector registers are not run");
        const Width w = width(type);
        do {
            const auto name = word();
            if (eat("<")) {
                const auto n = number();
                count_registers(n);
                scopes_.back().ranges[name] = {n, w};
                expect(">");
            } else {
                count_registers(1);
                declare(scopes_.back(), name, w);
            }
        } while (eat(","));
        expect(";");
    }
    // Of a kernel: nvcc's have some thousands.
    static constexpr std::size_t most_registers = 1u << 17;
    void count_registers(std::uint64_t n) {
        if (n > most_registers - declared_) fail(line(), fmt::format("more than {} registers", most_registers));
        declared_ += n;
    }
    int declare(Scope& s, std::string_view name, Width w) {
        const int at = static_cast<int>(kernel_->registers.size());
        s.registers.insert_or_assign(std::string(name), at);
        kernel_->registers.push_back({std::string(name), w});
        return at;
    }
    // One of a range is made where it is used: a text of some bytes declares as many as it likes.
    int find_register(std::string_view name) {
        for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
            if (const auto it = s->registers.find(name); it != s->registers.end()) return it->second;
            for (std::size_t digits = 1; digits <= 6 && digits < name.size() && std::isdigit(static_cast<unsigned char>(name[name.size() - digits])); ++digits) {
                const auto number = name.substr(name.size() - digits);
                if (number[0] == '0' && digits > 1) continue;
                const auto range = s->ranges.find(name.substr(0, name.size() - digits));
                if (range != s->ranges.end() && std::stoul(std::string(number)) < range->second.count) return declare(*s, name, range->second.width);
            }
        }
        return -1;
    }

    void statement() {
        Statement s;
        s.line = line();
        if (eat("@")) {
            s.guard_negated = eat("!");
            const auto p = next();
            s.guard = find_register(p);
            if (s.guard < 0 || kernel_->registers[static_cast<std::size_t>(s.guard)].width != Width::pred) fail(s.line, fmt::format("guard '{}' is no predicate", p));
        }
        s.opcode = word();
        const auto first = at_;
        while (!is(";")) {
            s.operands.push_back(operand());
            if (!eat(",") && !is(";")) expect(";");
        }
        for (auto n = first; n < at_; ++n) s.text += std::string(tokens_[n].text) + (tokens_[n].text == "," ? " " : "");
        next();
        kernel_->statements.push_back(std::move(s));
    }

    Operand operand() {
        if (eat("{")) {
            Operand v;
            v.kind = Operand::Kind::vector;
            while (!eat("}")) {
                v.parts.push_back(operand());
                eat(",");
            }
            return v.parts.size() == 1 ? v.parts[0] : v;  // {%r1} is %r1
        }
        if (eat("[")) return memory();
        if (eat("(")) fail(line(), "a call of a function is not run: let the compiler inline it");
        const bool minus = eat("-"), negated = eat("!");
        Operand o = simple();
        o.negated = negated;
        if (minus) o.value = ~o.value + 1;
        if (o.kind == Operand::Kind::symbol) o.offset += displacement();
        if (!eat("|")) return o;
        Operand pair;
        pair.kind = Operand::Kind::pair;
        pair.parts = {o, operand()};
        return pair;
    }
    std::int64_t displacement() {
        const bool plus = eat("+"), minus = eat("-");
        if (!plus && !minus) return 0;
        const auto v = number();
        return static_cast<std::int64_t>(minus ? 0 - v : v);
    }
    Operand memory() {
        Operand m = simple();
        if (m.kind == Operand::Kind::label) fail(line(), fmt::format("'{}' is no register, parameter or shared variable", m.name));
        m.kind = Operand::Kind::memory;
        m.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(m.offset) + static_cast<std::uint64_t>(displacement()));
        expect("]");
        return m;
    }
    Operand simple() {
        Operand o;
        const auto w = next();
        if (w == "_") return o;
        if (const int r = find_register(w); r >= 0) {
            o.kind = Operand::Kind::reg;
            o.reg = r;
            return o;
        }
        if (w[0] >= '0' && w[0] <= '9') return literal(std::string(w));
        o.name = w;
        o.kind = w[0] == '%' ? Operand::Kind::special : known_symbol(o.name) ? Operand::Kind::symbol : Operand::Kind::label;
        if (o.kind == Operand::Kind::label) o.name = unique_label(w);
        return o;
    }
    bool known_symbol(const std::string& n) const {
        const auto named = [&](const auto& v) { return v.name == n; };
        const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), named); };
        return any(kernel_->parameters) || any(kernel_->shared) || any(module_.shared);
    }
    Operand literal(const std::string& w) {
        Operand o;
        const bool f32 = w.starts_with("0f") || w.starts_with("0F"), f64 = w.starts_with("0d") || w.starts_with("0D");
        o.kind = f32 ? Operand::Kind::f32 : f64 ? Operand::Kind::f64 : Operand::Kind::integer;
        char* end = nullptr;
        o.value = f32 || f64 ? std::strtoull(w.c_str() + 2, &end, 16) : std::strtoull(w.c_str(), &end, 0);
        if (*end == 'U') ++end;
        if (*end) fail(line(), fmt::format("'{}' is no number", w));
        return o;
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    Module module_;
    KernelText* kernel_ = nullptr;
    std::vector<Scope> scopes_;
    int labels_made_ = 0;
    std::uint64_t declared_ = 0;  // registers of the kernel
};

}  // namespace

const KernelText* Module::find(const std::string& name) const {
    for (const auto& k : kernels)
        if (k.name == name) return &k;
    return nullptr;
}

Module parse_module(const std::string& source) { return Parser(source).run(); }

}  // namespace ulpgate::ptx
