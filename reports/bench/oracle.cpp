#include <fmt/format.h>

#include <memory>

#include "reports/bench/f64_loop.hpp"
#include "reports/bench/rows.hpp"

namespace ulpgate::bench {
namespace {

Cell cell(Oracle oracle, Type t, std::size_t d) {
    auto arena = std::make_shared<Arena>(t, rows_in(t, d, in_cache), d);
    const PackedRows& job = arena->job();
    Cell c{"Melem/s", {"certified", [oracle, arena] { oracle_rows(oracle, arena->job()); }, static_cast<double>(job.rows * d)}, {}, ""};
    if (f64_loop_available()) c.peers.push_back({"f64 loop", t == Type::f32 ? 0.95 : 1.2, f64_loops(oracle, job)});
    else c.why_skipped = "no AVX2: the f64 loop cannot run";
    c.peers.push_back({"cpp_bin_float_100", 1000, big_float_row(oracle, job, "cpp_bin_float_100")});
    c.peers.push_back({"mpfr_float_50", 0, big_float_row(oracle, job, "mpfr_float_50")});
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const Oracle oracle : {Oracle::ideal, Oracle::cast_first})
        for (const Type t : {Type::bf16, Type::fp16, Type::f32})
            for (const std::size_t d : {512u, 1536u, 7168u}) {
                if (request.quick && d != 512) continue;
                measure(fmt::format("oracle/{}/{}/{}", oracle == Oracle::ideal ? "ideal" : "cast_first", name(t), d), [=] { return cell(oracle, t, d); });
            }
}

}  // namespace

PIECE(Group, oracle) = {"oracle", "the certified reference, rows in L2", 1, cells};

}  // namespace ulpgate::bench
