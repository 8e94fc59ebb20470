#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "impls/subject/direct.hpp"
#include "reports/bench/case_tensors.hpp"
#include "reports/bench/cell.hpp"
#include "reports/bench/rows.hpp"
#include "reports/bench/stream.hpp"

namespace ulpgate::bench {
namespace {

constexpr std::size_t beyond_cache = std::size_t{160} << 20;

Cell cell(const std::string& home, Type t, std::size_t d, bool cached) {
    Cell c{"MB/s", {}, {}, ""};
    std::shared_ptr<DirectKernel> kernel;
    try {
        kernel = std::make_shared<DirectKernel>(DirectKernel::library_of(home, "avx2"));
    } catch (const std::exception& e) {
        c.why_skipped = e.what();
        return c;
    }
    const std::size_t rows = rows_in(t, d, cached ? in_cache : beyond_cache), size = static_cast<std::size_t>(bytes(t));
    kernel->prepare(cast_first_entry(kernel->contracts(), t), case_tensors(t, rows, d));
    std::memset(kernel->data("y"), 0, rows * d * size);
    const double work = 2.0 * static_cast<double>(rows * d * size);
    c.subject = {"avx2", [kernel] { kernel->call(); }, work};
    c.peers.push_back({"read+write stream", cached ? 0 : 0.85, streams(kernel->data("x"), kernel->data("y"), rows * d * size)});
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const bool cached : {true, false})
        for (const Type t : {Type::bf16, Type::fp16, Type::f32})
            for (const std::size_t d : {512u, 1536u, 7168u}) {
                if (request.quick && (d != 512 || !cached)) continue;
                measure(fmt::format("kernel/avx2/{}/{}/{}", cached ? "in_cache" : "out_of_cache", name(t), d), [=, &request] { return cell(request.home, t, d, cached); });
            }
}

}  // namespace

PIECE(Group, kernels) = {"kernel", "AVX2 RMSNorm against a stream that reads and writes the same bytes, one thread", 3, cells};

}  // namespace ulpgate::bench
