#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "impls/subject/direct.hpp"
#include "reports/bench/case_tensors.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

constexpr std::size_t rows = 64;

std::shared_ptr<DirectKernel> prepared(const std::string& library, Type t, std::size_t d) {
    auto kernel = std::make_shared<DirectKernel>(library);
    kernel->prepare(cast_first_entry(kernel->contracts(), t), case_tensors(t, rows, d));
    kernel->call();
    return kernel;
}

Cell cell(const std::string& home, Type t, std::size_t d) {
    Cell c{"Mrows/s", {}, {}, ""};
    try {
        const auto executed = prepared(home + "/kernels/cuda/ptx.so", t, d), scalar = prepared(DirectKernel::library_of(home, "scalar"), t, d);
        c.subject = {"ptx", [executed] { executed->call(); }, static_cast<double>(rows)};
        c.peers.push_back({"scalar", 0, {{"scalar C", [scalar] { scalar->call(); }, static_cast<double>(rows)}}});
        // What fuzzing and the gate's budget ask of one core.
        if (t == Type::bf16 && d >= 1536) c.peers.push_back({"rows a second", 1, {}, d == 1536 ? 40000.0 : 8000.0});
    } catch (const std::exception& e) {
        c.why_skipped = e.what();
    }
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const std::size_t d : {512u, 1536u, 7168u}) {
            if (request.quick && (d != 512 || t != Type::bf16)) continue;
            measure(fmt::format("ptx/{}/{}", name(t), d), [=, &request] { return cell(request.home, t, d); });
        }
}

}  // namespace

PIECE(Group, ptx) = {"ptx", "the PTX executor on the built-in CUDA norm, one thread, beside the scalar kernel", 5, cells};

}  // namespace ulpgate::bench
