#include "reports/bench/case_tensors.hpp"

#include <fmt/format.h>

#include <cstring>

#include "reports/bench/rows.hpp"

namespace ulpgate::bench {

Tensors case_tensors(Type t, std::size_t rows, std::size_t d) {
    const Op& op = *find_op("q_a_layernorm");
    Sizes sizes;
    op.defaults(sizes);
    sizes[Dim::batch] = 1;
    sizes[Dim::tokens] = static_cast<std::int64_t>(rows);
    sizes[Dim::d] = static_cast<std::int64_t>(d);
    op.derive(sizes);
    Tensors all = lay_out(op, default_contract(t, Map::cast_first), sizes);
    const Arena data(t, rows, d);
    const auto put = [&](const char* name, const void* from) {
        auto& storage = all.find(name)->storage;
        std::memcpy(storage.data(), from, storage.size());
    };
    put("x", data.job().x);
    put("w", data.job().w);
    return all;
}

std::size_t cast_first_entry(const std::vector<std::string>& contracts, Type t) {
    const std::string start = fmt::format("{},cast_first", name(t));
    for (std::size_t i = 0; i < contracts.size(); ++i)
        if (contracts[i].starts_with(start)) return i;
    return contracts.size();
}

}  // namespace ulpgate::bench
