#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "reference/admissible/row_set.hpp"
#include "reference/formats/convert.hpp"
#include "reference/maps/map.hpp"
#include "reports/bench/f64_loop.hpp"
#include "reports/bench/rows.hpp"

namespace ulpgate::bench {
namespace {

// Rows that their contract allows, judged as the gate does: words to floats, the statistic's interval, the row's.
class Judged {
  public:
    Judged(Type t, std::size_t d) : arena(t, rows_in(t, d, in_cache), d), contract_(default_contract(t, Map::cast_first)),
        map_(*maps_for(contract_).front()), x_(d), y_(d), w_(d) {
        decode_words(t, static_cast<const std::byte*>(arena.job().w), w_);
        for (std::size_t row = 0; row < arena.job().rows; ++row) {
            decode_words(t, at(arena.job().x, row), x_);
            // As kernels' sums and roots leave it: up to two floats beside the nearest.
            auto r = static_cast<float>(ideal_r(x_, arena.job().eps));
            for (std::size_t k = row % 5; k != 2; k < 2 ? ++k : --k) r = std::nextafter(r, k < 2 ? 0.0f : 1e30f);
            map_.apply(map_types(contract_), narrow_nearest, x_, w_, r, y_);
            encode_words(t, y_, static_cast<std::byte*>(arena.job().y) + row * row_bytes());
        }
    }
    void run() {
        std::span<const float> x, y;
        for (std::size_t row = 0; row < arena.job().rows; ++row) {
            x = floats_of(arena.job().type, at(arena.job().x, row), x_);
            y = floats_of(arena.job().type, at(arena.job().y, row), y_);
            if (!allowed(statistic_core, x, y) && !allowed(statistic_set, x, y)) __builtin_trap();  // a wrong judge is no fast one
        }
    }
    Arena arena;

  private:
    template <class Set>
    bool allowed(Set set, std::span<const float> x, std::span<const float> y) const {
        return reproduce_within(map_, map_types(contract_), x, w_, y, set(contract_, x, arena.job().eps).set).any;
    }
    std::size_t row_bytes() const { return arena.job().d * static_cast<std::size_t>(bytes(arena.job().type)); }
    const std::byte* at(const void* p, std::size_t row) const { return static_cast<const std::byte*>(p) + row * row_bytes(); }
    Contract contract_;
    const MapPiece& map_;
    std::vector<float> x_, y_, w_;
};

Cell cell(Type t, std::size_t d) {
    auto judged = std::make_shared<Judged>(t, d);
    auto peer = std::make_shared<Arena>(t, rows_in(t, d, in_cache), d);
    Cell c{"Melem/s", {"row judgement", [judged] { judged->run(); }, static_cast<double>(judged->arena.job().rows * d)}, {}, ""};
    if (!f64_loop_available()) {
        c.why_skipped = "no AVX2: the f64 loop cannot run";
        return c;
    }
    c.peers.push_back({"f64 loop", 0.4, f64_loops(Oracle::cast_first, peer->job())});
    for (Side& s : c.peers[0].variants) s.run = [run = s.run, peer] { run(); };
    return c;
}

void cells(const Request& request, const Measure& measure) {
    for (const Type t : {Type::bf16, Type::fp16, Type::f32})
        for (const std::size_t d : {512u, 1536u, 7168u}) {
            if (request.quick && d != 512) continue;
            measure(fmt::format("judge/{}/{}", name(t), d), [=] { return cell(t, d); });
        }
}

}  // namespace

PIECE(Group, judge) = {"judge", "rows of a cast_first kernel judged: the contract's interval of r, the row's, that they meet", 2, cells};

}  // namespace ulpgate::bench
