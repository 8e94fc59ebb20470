// The PTX executor on the CUDA query path: one token of the model through its projections, on one core.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "impls/subject/direct.hpp"
#include "properties/cases/case.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

constexpr double asked_tokens = 0.2;  // a second: a token in under 5 s

struct Way {
    const char *name, *type, *arch, *claim;  // claim: what the entry promises beside the type
};
constexpr Way ways[] = {
    {"mma", "bf16", "sm_80", "cast_first,mean=div,a.order=mma:8x24,b.order=mma:8x24,holds=rerun.batch.align.stride"},
    {"mma", "bf16", "sm_90", "cast_first,mean=div,a.order=mma:16x25,b.order=mma:16x25,holds=rerun.batch.align.stride"},
    {"mma_e4m3", "bf16", "sm_90", "cast_first,mean=div,weights=e4m3:128x128,a.order=mma:16x25:128,b.order=mma:16x25:128,taps=out,holds=rerun.batch.align.stride"},
    {"simt", "bf16", "sm_80", "cast_first,mean=div,taps=out,holds=rerun.batch.align.stride"},
    {"e4m3", "bf16", "sm_80", "cast_first,mean=div,weights=e4m3:128x128,taps=out,holds=rerun.batch.align.stride"},
};

Cell token(const std::string& home, const Way& way, bool quick) {
    Cell c{"Mmac/s", {}, {}, ""};
    try {
        Case line;
        const auto bad = parse(fmt::format("mla_query/{}/{}/contract={}/profile=random/rows=1{}/seed=1", way.type, quick ? 128 : 7168, way.claim, quick ? "/rank=32/heads=2/nope=8/rope=4" : ""), line);
        if (bad) throw std::runtime_error(bad->what);
        const Made m = make(line);
        if (!m.error.empty()) throw std::runtime_error(m.error);
        const auto kernel = std::make_shared<DirectKernel>(home + "/kernels/cuda/ptx.so", way.arch);
        const auto contracts = kernel->contracts();
        const auto at = std::find(contracts.begin(), contracts.end(), fmt::format("{},{}", way.type, way.claim));
        if (at == contracts.end()) throw std::runtime_error("no such entry");
        kernel->prepare(static_cast<std::size_t>(at - contracts.begin()), m.tensors);
        if (kernel->call() != 0) throw std::runtime_error("the executor refuses it");
        const Sizes& s = m.tensors.sizes;
        const double work = static_cast<double>(s[Dim::a_out] * s[Dim::hidden] + s[Dim::b_out] * s[Dim::b_in]);
        c.subject = {"ptx", [kernel] { kernel->call(); }, work};
        c.peers.push_back({fmt::format("{} tokens a second", asked_tokens), std::string_view(way.name).starts_with("mma") ? 1.0 : 0.0, {}, asked_tokens * work});
    } catch (const std::exception& e) {
        c.why_skipped = e.what();
    }
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const Way& way : ways) {
        if (request.quick && way.arch != std::string_view("sm_90")) continue;
        measure(fmt::format("ptx_query/{}/{}", way.name, way.arch), [&] { return token(request.home, way, request.quick); });
    }
}

}  // namespace

PIECE(Group, ptx_query) = {"ptx_query", "the PTX executor on the CUDA query path: a token of the model, one thread", 6, cells};

}  // namespace ulpgate::bench
