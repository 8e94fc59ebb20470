#include "reference/query_faults/query_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ulpgate {
namespace {

constexpr std::array fields{"weights=", "bias=", "a.order=", "b.order=", "a.part=", "b.part=", "latent=", "logits=", "kv=", "absorb=", "rope=", "taps="};

bool names_a_field(std::string_view text) {
    for (const auto token : split(text, ','))
        if (std::any_of(fields.begin(), fields.end(), [&](std::string_view f) { return token.starts_with(f); })) return true;
    return false;
}

}  // namespace

const QueryFault* find_query_fault(std::string_view kind) {
    for (const QueryFault* f : query_faults::all())
        if (f->kind == kind) return f;
    return nullptr;
}

std::optional<QueryText> parse_query_subject(std::string_view text) {
    const bool faulty = text.starts_with("faulty/");
    if (!faulty && !text.starts_with("model/")) return {};
    const std::size_t prefix = faulty ? 7 : 6;
    std::string_view rest = text.substr(prefix);
    const QueryFault* fault = nullptr;
    std::size_t at = prefix;
    if (faulty) {
        const auto kind = rest.substr(0, rest.find(','));
        fault = find_query_fault(kind);
        if (!fault) return {};
        rest = kind.size() < rest.size() ? rest.substr(kind.size() + 1) : "";
        at += kind.size() + (rest.empty() ? 0 : 1);
    } else if (!names_a_field(rest)) {
        return {};
    }
    QueryText out;
    std::vector<std::string> texts{std::string(rest)};
    if (rest.empty()) texts = {"bf16,cast_first", "bf16,cast_first,taps=out"};
    for (std::string& t : texts) {
        if (fault && !fault->needs.empty() && t.find(fault->needs.substr(0, fault->needs.find('=') + 1)) == t.npos) t += "," + std::string(fault->needs);
        Claim claim;
        if (auto bad = parse(t, claim)) {
            out.error = ParseError{at + std::min(bad->at, rest.size()), bad->what};
            return out;
        }
        QueryModel m{claim[0], {}, fault ? std::string(fault->kind) : ""};
        if (claim.size() != 1 || m.contract.map == Map::none) {
            out.error = ParseError{at, "a model is one contract with a map: bf16,cast_first,taps=out"};
            return out;
        }
        QueryModel changed = m;
        if (fault) fault->change(changed);
        if (const auto why = why_no_sum(changed.contract); !why.empty()) {
            out.error = ParseError{at, why};
            return out;
        }
        const bool head = t.find("logits=") != t.npos;
        if (!head || !fault || fault->head) out.subjects.push_back({m, head ? Abi::linear : Abi::mla_query});
        const bool query = m.contract.kv != Kv::none || m.contract.absorb != Absorb::no || m.contract.rope != Rope::none;
        if (!head && !query && fault && fault->head && m.contract.taps == Emit::none) out.subjects.push_back({m, Abi::linear});
    }
    return out;
}

}  // namespace ulpgate
