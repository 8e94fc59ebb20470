// The query path: certified dots beside uncertified ones, the reference beside a naive one, the AVX2 products of matrices beside
// OpenBLAS (many tokens) and beside the memory that holds the weights (one token).
#include <dlfcn.h>
#include <fmt/format.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "impls/subject/direct.hpp"
#include "properties/cases/case.hpp"
#include "reference/query/path.hpp"
#include "reports/bench/cell.hpp"

namespace ulpgate::bench {
namespace {

Made made(const std::string& line) {
    Case c;
    if (const auto bad = parse(line, c)) return {{}, bad->what};
    return make(c);
}

// ---- dots

using D4 = double __attribute__((vector_size(32)));
using F4 = float __attribute__((vector_size(16)));

// As a careful author writes it: f64, eight accumulators, one rounding at the end.
__attribute__((target("avx2,fma"))) double plain_dot(const float* a, const float* w, std::size_t n) {
    D4 s[8] = {};
    for (std::size_t i = 0; i + 32 <= n; i += 32)
        for (std::size_t k = 0; k < 8; ++k) {
            F4 x, y;
            std::memcpy(&x, a + i + 4 * k, sizeof x);
            std::memcpy(&y, w + i + 4 * k, sizeof y);
            s[k] += __builtin_convertvector(x, D4) * __builtin_convertvector(y, D4);
        }
    const D4 t = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    return (t[0] + t[1]) + (t[2] + t[3]);
}

struct Dots {
    std::vector<float> x, w;
    std::vector<std::uint32_t> y;
    std::vector<WeightFacts> facts;  // a matrix keeps them from its second token on
    std::size_t n;
    explicit Dots(std::size_t columns) : x(columns), w(64 * columns), y(64), n(columns) {
        const Made m = made(fmt::format("head/bf16/{}/contract=cast_first/profile=random/rows=1/out=64/seed=1", columns));
        m.tensors.find("x")->read_row(0, x);
        for (std::size_t o = 0; o < 64; ++o) m.tensors.find("w")->read_row(static_cast<std::int64_t>(o), std::span(w).subspan(o * n, n));
        for (std::size_t o = 0; o < 64; ++o) facts.emplace_back(row(o));
    }
    std::span<const float> row(std::size_t o) const { return std::span(w).subspan(o * n, n); }
};

Cell dots(std::size_t n) {
    auto d = std::make_shared<Dots>(n);
    const double work = 64 * static_cast<double>(n);
    Cell c{"Mmac/s", {"certified dots, rows met before", [d] {
        const DotVector x(d->x);
        for (std::size_t o = 0; o < 64; ++o) {
            DotSum s;
            d->y[o] = round_dot(Type::bf16, x, {d->row(o), {}, 1, &d->facts[o]}, 0, s);
        }
    }, work}, {}, ""};
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        c.why_skipped = "no AVX2: the plain f64 dots cannot run";
        return c;
    }
    c.peers.push_back({"plain f64 dots", 0.5, {{"8 accumulators", [d] {
        for (std::size_t o = 0; o < 64; ++o) d->y[o] = encode(Type::bf16, plain_dot(d->x.data(), d->row(o).data(), d->n));
    }, work}}});
    return c;
}

// ---- the reference

Cell reference(const std::string& shape, bool quick) {
    auto m = std::make_shared<Made>(made(fmt::format("mla_query/bf16/{}/contract=cast_first/profile=random/rows=1{}/seed=1", quick ? 512 : 7168, shape)));
    auto path = std::make_shared<QueryPath>(m->tensors, QueryModel{default_contract(Type::bf16, Map::cast_first), {}, ""});
    const Sizes& s = m->tensors.sizes;
    const auto macs = [](std::int64_t n) { return static_cast<double>(n); };
    path->through(0);
    const auto* level = path->counts.level;
    const double integers = static_cast<double>(level[3]) / static_cast<double>(level[1] + level[2] + level[3]);
    Cell c{"Mmac/s", {fmt::format("exact token, {:.3f} % without integers", 100 * (1 - integers)), [m, path] { path->through(0); }, macs(s[Dim::a_out] * s[Dim::hidden] + s[Dim::b_out] * s[Dim::b_in])}, {}, ""};
    // Eight of its rows: at this pace a token of the model takes half a minute.
    c.peers.push_back({"naive cpp_bin_float_100", 200, {{"8 rows of q_a_proj", [m] {
        const Tensors& t = m->tensors;
        std::vector<float> h(static_cast<std::size_t>(t.sizes[Dim::hidden])), w(h.size());
        t.find("h")->read_row(0, h);
        for (std::int64_t o = 0; o < 8; ++o) {
            t.find("a")->read_row(o, w);
            boost::multiprecision::cpp_bin_float_100 sum = 0;
            for (std::size_t k = 0; k < h.size(); ++k) sum += boost::multiprecision::cpp_bin_float_100(h[k]) * w[k];
            static volatile float kept;
            kept = round_to(Type::bf16, sum.convert_to<double>());
            (void)kept;
        }
    }, macs(8 * s[Dim::hidden])}}});
    return c;
}

// ---- products of matrices

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

// ULPGATE_OPENBLAS, or the system's.
Sgemm openblas() {
    const char* named = std::getenv("ULPGATE_OPENBLAS");
    void* library = ::dlopen(named ? named : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    for (const char* prefix : {"", "scipy_"}) {
        if (const auto threads = reinterpret_cast<void (*)(int)>(::dlsym(library, (std::string(prefix) + "openblas_set_num_threads").c_str()))) threads(1);
        if (const auto f = reinterpret_cast<Sgemm>(::dlsym(library, (std::string(prefix) + "cblas_sgemm").c_str()))) return f;
    }
    return nullptr;
}

struct Head {
    std::shared_ptr<DirectKernel> kernel;
    Made m;
    std::string error;
    Head(const std::string& home, Type t, int tokens, int columns, int out) {
        try {
            kernel = std::make_shared<DirectKernel>(DirectKernel::library_of(home, "avx2_query"));
        } catch (const std::exception& e) {
            error = e.what();
            return;
        }
        const std::string claim = "cast_first,holds=rerun.batch.align.stride";
        m = made(fmt::format("head/{}/{}/contract={}/profile=random/rows={}/out={}/seed=1", name(t), columns, claim, tokens, out));
        const auto contracts = kernel->contracts();
        std::size_t k = 0;
        while (k < contracts.size() && !(kernel->projects(k) && contracts[k] == fmt::format("{},{}", name(t), claim))) ++k;
        if (k == contracts.size()) error = "no such entry";
        else kernel->prepare(k, m.tensors);
    }
};

Cell many_tokens(const std::string& home, Type t, bool quick) {
    const int T = 64, K = quick ? 512 : 7168, N = quick ? 64 : 1536;
    auto h = std::make_shared<Head>(home, t, T, K, N);
    const double work = T * K * N;
    Cell c{"Mmac/s", {fmt::format("avx2, {} weights", name(t)), [h] { h->kernel->call(); }, work}, {}, h->error};
    const Sgemm sgemm = openblas();
    if (!sgemm && c.why_skipped.empty()) c.why_skipped = "no OpenBLAS here: install it, or name its library in ULPGATE_OPENBLAS";
    if (!c.why_skipped.empty()) return c;
    auto x = std::make_shared<std::vector<float>>(static_cast<std::size_t>(T * K)), w = std::make_shared<std::vector<float>>(static_cast<std::size_t>(N) * static_cast<std::size_t>(K)),
         y = std::make_shared<std::vector<float>>(static_cast<std::size_t>(T * N));
    for (int i = 0; i < T; ++i) h->m.tensors.find("x")->read_row(i, std::span(*x).subspan(static_cast<std::size_t>(i * K), static_cast<std::size_t>(K)));
    for (int o = 0; o < N; ++o) h->m.tensors.find("w")->read_row(o, std::span(*w).subspan(static_cast<std::size_t>(o) * static_cast<std::size_t>(K), static_cast<std::size_t>(K)));
    c.peers.push_back({"OpenBLAS sgemm", 0, {{"one thread, f32 weights", [=] { sgemm(101, 111, 112, T, N, K, 1, x->data(), K, w->data(), K, 0, y->data(), N); }, work}}});
    return c;
}

__attribute__((target("avx2"))) std::uint64_t read_all(const std::byte* p, std::size_t n) {
    using U4 = std::uint64_t __attribute__((vector_size(32)));
    U4 s[4] = {};
    for (std::size_t i = 0; i + 128 <= n; i += 128)
        for (std::size_t k = 0; k < 4; ++k) {
            U4 v;
            std::memcpy(&v, p + i + 32 * k, sizeof v);
            s[k] ^= v;
        }
    const U4 t = s[0] ^ s[1] ^ s[2] ^ s[3];
    return t[0] ^ t[1] ^ t[2] ^ t[3];
}

Cell one_token(const std::string& home, Type t, bool quick) {
    auto h = std::make_shared<Head>(home, t, 1, quick ? 512 : 7168, quick ? 64 : 12288);
    Cell c{"MB/s of weights", {"avx2", [h] { h->kernel->call(); }, 0}, {}, h->error};
    if (!c.why_skipped.empty()) return c;
    const Tensor& w = *h->m.tensors.find("w");
    const std::size_t n = w.storage.size();
    c.subject.work = static_cast<double>(n);
    c.peers.push_back({"reading them", 0, {{"one thread", [h, n] {
        static volatile std::uint64_t kept;
        kept = read_all(static_cast<const std::byte*>(h->kernel->data("w")), n);
        (void)kept;
    }, c.subject.work}}});
    return c;
}

void cells(const Request& request, const Measure& measure) {
    const bool quick = request.quick;
    for (const std::size_t n : {1536u, 7168u}) {
        if (quick && n != 1536) continue;
        measure(fmt::format("query/dots/bf16/{}", n), [n] { return dots(n); });
    }
    measure("query/reference/bf16", [quick] { return reference(quick ? "/rank=16/heads=2/nope=8/rope=4" : "", quick); });
    for (const Type t : {Type::bf16, Type::f32}) {
        measure(fmt::format("query/tokens_64/{}", name(t)), [=, &request] { return many_tokens(request.home, t, quick); });
        measure(fmt::format("query/token_1/{}", name(t)), [=, &request] { return one_token(request.home, t, quick); });
    }
}

}  // namespace

PIECE(Group, query) = {"query", "the query path: certified dots, the reference, the AVX2 products of matrices", 5, cells};

}  // namespace ulpgate::bench
