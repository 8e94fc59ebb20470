// Hill climbing over segment programs of one row.
#pragma once
#include <array>
#include <cstdint>

#include "fuzz/search/row.hpp"
#include "reference/base/rng.hpp"

namespace ulpgate::fuzzing {

struct Best {
    Program program;
    double value = nothing;
};

// A few climbers side by side; the one that has not risen for longest begins again, beside the best or anywhere.
class Climb {
  public:
    // shape: of the row. seeds: half of them begin with absorption rows, else all with random programs.
    Climb(Row& row, const Case& shape, std::uint64_t seed, std::uint64_t worker, bool seeds);

    // One case. True where it is the best of all so far.
    bool step();

    Best best;

  private:
    struct Climber {
        Best at;
        std::int64_t stale = 0;
    };
    void begin(Climber& c, bool absorption);
    Program absorbed();

    Row& row_;
    Type type_;
    std::int64_t d_;
    double eps_;
    Rng rng_;
    std::array<Climber, 8> climbers_;
};

}  // namespace ulpgate::fuzzing
