// The one place that knows the fields of the ABI's argument structs.
#include "impls/subject/pack.hpp"

#include <cstring>
#include <string_view>

#include "reference/ops/op.hpp"

namespace ulpgate::child {
namespace {

ulpgate_tensor tensor(const Control& c, char* base, std::string_view name) {
    ulpgate_tensor t{};
    for (const Slot& s : c.slot) {
        if (name != s.name) continue;
        const Slot& memory = s.alias ? c.slot[s.alias - 1] : s;
        t.data = base + memory.at + memory.data;
        t.type = s.type;
        t.rank = s.rank;
        std::memcpy(t.size, s.size, sizeof t.size);
        std::memcpy(t.stride, s.stride, sizeof t.stride);
    }
    return t;
}

}  // namespace

void pack(Arguments& args, const Control& c, char* base, const ulpgate_entry& e) {
    std::memset(&args, 0, sizeof args);
    const auto n = [&](Dim d) { return c.dims[static_cast<std::size_t>(d)]; };
    auto& a = args.rmsnorm;
    a.call.size = sizeof a;
    a.call.entry = &e;
    a.call.threads = c.threads;
    a.rows = n(Dim::rows);
    a.batch = n(Dim::batch);
    a.tokens = n(Dim::tokens);
    a.d = n(Dim::d);
    a.d_stat = c.d_stat;
    a.eps = c.eps;
    a.x = tensor(c, base, "x");
    a.w = tensor(c, base, "w");
    a.y = tensor(c, base, "y");
    a.beta = tensor(c, base, "beta");
    a.residual = tensor(c, base, "residual");
    a.residual_out = tensor(c, base, "residual_out");
    a.rstd = tensor(c, base, "rstd");
    a.scale = tensor(c, base, "scale");
}

int call(const Arguments& a, const ulpgate_entry& e) { return e.rmsnorm ? e.rmsnorm(&a.rmsnorm) : ULPGATE_REFUSED; }

}  // namespace ulpgate::child
