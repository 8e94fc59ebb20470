#include "impls/cuda/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "impls/cuda/driver/driver.hpp"
#include "reference/base/file.hpp"
#include "reference/tensor_core/tile.hpp"

namespace ulpgate::cuda {
namespace {

constexpr std::uint32_t one = 0x3f800000u, all_of_rsqrt = 1u << 24, all_of_rcp = 1u << 23;  // [1, 4) and [1, 2)
constexpr int most_below = 170;

class Device {
  public:
    explicit Device(void* module) : module_(module) {}
    ~Device() {
        for (const auto a : pieces_) Driver::get().release(a);
    }
    Address room(std::size_t bytes) { return pieces_.emplace_back(Driver::get().allocate(bytes)); }
    Address put(const void* from, std::size_t bytes) {
        const Address a = room(bytes);
        Driver::get().copy_in(a, from, bytes);
        return a;
    }
    template <class... V>
    void launch(const char* kernel, std::uint32_t blocks, std::uint32_t threads, V... values) {
        std::vector<std::uint8_t> packed;
        const auto add = [&](auto v) {
            packed.resize((packed.size() + sizeof v - 1) / sizeof v * sizeof v + sizeof v);
            std::memcpy(packed.data() + packed.size() - sizeof v, &v, sizeof v);
        };
        (add(values), ...);
        Driver::get().launch(Driver::get().function(module_, kernel), {blocks, 1, 1}, {threads, 1, 1}, 0, packed);
        Driver::get().synchronize();
    }

  private:
    void* module_;
    std::vector<Address> pieces_;
};

// exact: f in long double, whose rounding to f32 is right but where it lies within 2^-40 of a midpoint: there a step may be told that
// is none. No rsqrt or rcp of 24 bits lies so near (24 + 24 + 2 bits decide).
Table table(Device& d, const char* kernel, std::uint32_t n, long double (*exact)(long double)) {
    Table t{kernel, one, std::vector<std::int8_t>(n), 0, 0};
    const Address out = d.room(std::size_t{n} * 4);
    d.launch(kernel, (n + 255) / 256, 256, one, n, out);
    std::vector<std::uint32_t> words(n);
    Driver::get().copy_out(words.data(), out, std::size_t{n} * 4);
    for (std::uint32_t i = 0; i < n; ++i) {
        const long double right = exact(static_cast<long double>(std::bit_cast<float>(one + i)));
        const auto nearest = std::bit_cast<std::uint32_t>(static_cast<float>(right));
        t.deltas[i] = static_cast<std::int8_t>(std::clamp(static_cast<int>(words[i] - nearest), -128, 127));
        const auto e = static_cast<double>(std::fabs((static_cast<long double>(std::bit_cast<float>(words[i])) - right) / right));
        if (e > t.worst) t.worst = e, t.worst_at = one + i;
    }
    return t;
}

using Multiply = bool (*)(const TensorCore*, Device*, const std::uint16_t*, const std::uint16_t*);
// Whether anything is left of the row's sum.
bool on_gpu(const TensorCore*, Device* d, const std::uint16_t* a, const std::uint16_t* b) {
    std::array<std::uint16_t, 256> x{};
    std::array<std::uint16_t, 128> y{};
    std::array<float, 128> z{};
    std::copy(a, a + 16, x.begin());
    std::copy(b, b + 16, y.begin());
    const Address out = d->room(sizeof z);
    d->launch("multiply_bf16", 1, 32, d->put(x.data(), sizeof x), d->put(y.data(), sizeof y), d->put(z.data(), sizeof z), out);
    Driver::get().copy_out(z.data(), out, sizeof z);
    return z[0] != 0;
}
bool by_model(const TensorCore* core, Device*, const std::uint16_t* a, const std::uint16_t* b) { return tensor_core_dot<Bf16>(*core, {a, 16}, {b, 16}, 0) != 0; }

// others: how many products of 2^-u stand in the group of the large one: those that are lost together with it.
int lost_at(Multiply multiply, const TensorCore* core, Device* d) {
    for (int u = 150; u < most_below; ++u) {
        std::uint16_t a[16], b[16];
        bool built = false;
        for (int others = 7; others >= 1 && !built; --others) built = smallest_kept(u, others, a, b);
        if (built && !multiply(core, d, a, b)) return u;
    }
    return 0;
}

}  // namespace

// 2^-149 = m 2^-u + others 2^-u with m = 2^(u - 149) - others, a product of two integers of 8 bits.
bool smallest_kept(int u, int others, std::uint16_t (&a)[16], std::uint16_t (&b)[16]) {
    const int whole = 1 << std::min(u - 149, 30), m = whole - others;
    std::fill(std::begin(a), std::end(a), std::uint16_t{0});
    std::fill(std::begin(b), std::end(b), std::uint16_t{0});
    if (m < 1) return false;
    const auto word = [](int v, int exponent) { return Bf16::encode(std::ldexp(static_cast<float>(v), exponent)); };
    const int left = -(u / 2), right = -(u - u / 2);
    for (int f = 1; f < 256; ++f) {
        if (m % f || m / f > 255) continue;
        a[0] = word(f, left), b[0] = word(m / f, right);
        for (int k = 1; k <= others; ++k) a[k] = word(1, left), b[k] = word(1, right);
        return true;
    }
    return false;
}

ProbeResult probe(const std::string& folder, std::uint32_t words) {
    ProbeResult r;
    Driver& driver = Driver::get();
    if (!driver.unavailable().empty()) {
        r.unavailable = driver.unavailable();
        return r;
    }
    r.card = driver.card(), r.arch = driver.arch(), r.driver = driver.version();
    const bool old = r.arch.starts_with("sm_8"), now = r.arch.starts_with("sm_9");
    if (!old && !now) {
        r.unavailable = fmt::format("no cubin for {} ({}): sm_8x and sm_9x are built", r.card, r.arch);
        return r;
    }
    const std::string path = folder + "/probe." + (old ? "sm_80" : "sm_90") + ".cubin";
    std::string cubin;
    if (std::error_code ec; !std::filesystem::exists(path, ec)) {
        r.unavailable = fmt::format("no {}: built without nvcc (impls/cuda/get_nvcc.sh installs it)", path);
        return r;
    }
    if (const auto wrong = read_file(path, cubin, std::size_t{64} << 20); !wrong.empty()) throw DriverError(wrong);
    Device d(driver.load(cubin.data()));
    r.tables.push_back(table(d, "rsqrt_words", std::min(words, all_of_rsqrt), [](long double x) { return 1 / std::sqrt(x); }));
    r.tables.push_back(table(d, "rcp_words", std::min(words, all_of_rcp), [](long double x) { return 1 / x; }));
    // (1 - 2^-24) 2^-126 and its like: below the smallest normal number, rounded it is that number.
    const Address out = d.room(16);
    d.launch("flushes", 1, 1, 0x1.fffffep-64f, 0x1p-63f, 0x1.8p-126f, -0x1p-126f, out);
    std::uint32_t got[4];
    driver.copy_out(got, out, sizeof got);
    r.flushed_product = got[0], r.flushed_sum = got[1], r.flushed_fma = got[2], r.nan = got[3];
    const TensorCore& core = old ? ampere : hopper;
    r.core = core.name;
    r.lost_at = lost_at(on_gpu, nullptr, &d);
    r.modelled_lost_at = lost_at(by_model, &core, nullptr);
    return r;
}

std::vector<std::string> findings(const ProbeResult& r) {
    std::vector<std::string> out;
    for (const Table& t : r.tables) {
        int low = 0, high = 0;
        for (const auto v : t.deltas) low = std::min<int>(low, v), high = std::max<int>(high, v);
        out.push_back(fmt::format("{}: {} words from {:08x} on lie {} to {} steps from the correctly rounded value; worst relative error 2^{:.2f} at {:08x}", t.instruction.substr(0, t.instruction.find('_')),
                                  t.deltas.size(), t.first, low, high, t.worst > 0 ? std::log2(t.worst) : -INFINITY, t.worst_at));
    }
    const auto flush = [&](const char* what, std::uint32_t w) {
        out.push_back(fmt::format("{} of a value that rounds up to 2^-126 gives {:08x}: {}", what, w, w == 0x00800000u ? "flushed after rounding" : w == 0 ? "flushed before rounding" : "neither"));
    };
    flush("mul.ftz", r.flushed_product);
    flush("fma.ftz", r.flushed_fma);
    out.push_back(fmt::format("add.ftz of 1.5 * 2^-126 - 2^-126 gives {:08x}: {}", r.flushed_sum, r.flushed_sum == 0 ? "flushed" : "kept"));
    out.push_back(fmt::format("inf - inf is {:08x}{}", r.nan, r.nan == 0x7fffffffu ? "" : ", not 7fffffff"));
    out.push_back(fmt::format("mma of bf16 loses products of 2^-{}; the model {} loses them at 2^-{}: {}", r.lost_at, r.core, r.modelled_lost_at,
                              r.lost_at == r.modelled_lost_at ? "its least exponent holds" : "another least exponent"));
    return out;
}

std::string pack(const Table& t, std::vector<std::uint8_t>& out) {
    out.assign((t.deltas.size() + 3) / 4, 0);
    for (std::size_t i = 0; i < t.deltas.size(); ++i) {
        const int v = t.deltas[i] + 2;
        if (v < 0 || v > 3) return fmt::format("{:08x} lies {} steps from the correctly rounded value: -2 to 1 fit", t.first + static_cast<std::uint32_t>(i), t.deltas[i]);
        out[i / 4] = static_cast<std::uint8_t>(out[i / 4] | v << i % 4 * 2);
    }
    return "";
}

}  // namespace ulpgate::cuda
