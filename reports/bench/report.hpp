// What was measured, as a table and as JSON (ulpgate.bench/1).
#pragma once
#include <string>
#include <vector>

#include "reports/bench/cell.hpp"

namespace ulpgate::bench {

struct BenchContext {
    std::string version, compiler, flags, machine, isa, cpu, system, date;
    unsigned cores = 1;
    std::string boost, mpfr, gmp, benchmark;  // versions of the peers
    bool quick = false;
};
BenchContext bench_context(bool quick);

std::string table_head(const BenchContext&);
std::string table_line(const CellResult&);  // one line a peer
std::string floors_text(const std::vector<CellResult>&);
std::string to_json(const BenchContext&, const std::vector<CellResult>&);

}  // namespace ulpgate::bench
