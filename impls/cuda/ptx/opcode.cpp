#include "impls/cuda/ptx/opcode.hpp"

#include <algorithm>

#include "reference/base/text.hpp"

namespace ulpgate::ptx {

void OpcodeTable::add(std::string_view names, const Opcode& o) {
    for (const auto name : split(names, ' '))
        if (!name.empty()) all_.emplace(std::string(name), o);
}

const Opcode* OpcodeTable::find(std::string_view name) const {
    const auto it = all_.find(std::string(name));
    return it == all_.end() ? nullptr : &it->second;
}

std::vector<std::string> OpcodeTable::names() const {
    std::vector<std::string> out;
    for (const auto& [name, o] : all_) out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
}

const OpcodeTable& opcode_table() {
    static const OpcodeTable table = [] {
        OpcodeTable t;
        for (const auto* group : opcodes::all()) group->add(t);
        return t;
    }();
    return table;
}

}  // namespace ulpgate::ptx
