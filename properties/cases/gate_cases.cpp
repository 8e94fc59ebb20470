#include "properties/cases/gate_cases.hpp"

#include <algorithm>
#include <array>

#include "properties/cases/query_cases.hpp"
#include "properties/profiles/profile.hpp"

namespace ulpgate {
namespace {

class List {
  public:
    List(const Op& op, const Claim& claim, const GateOptions& options)
        : op_(op), claim_(claim), options_(options), variant_(is_variant(claim.at(0))) {}

    bool wanted(const Profile& p) const {
        const auto& only = options_.profiles;
        return (options_.probes || !p.probe) &&
               (only.empty() || std::find(only.begin(), only.end(), p.name) != only.end());
    }

    Case& add(std::string_view profile, std::int64_t d, std::int64_t rows) {
        Case& c = cases.emplace_back();
        c.op = op_.name;
        c.claim = claim_;
        c.d = d;
        c.profile = profile;
        c.tokens = rows;
        c.seed = options_.seed;
        return c;
    }

    // Every profile with its rows; inputs are strided as in the model where that is their width there.
    void shape(std::int64_t d, std::int64_t ld) {
        for (const Profile* p : profiles::all()) {
            if (!wanted(*p)) continue;
            std::int64_t rows = options_.rows ? options_.rows : p->rows(d);
            if (!options_.rows && variant_) rows = std::max(rows / 4, std::min<std::int64_t>(rows, 24));
            if (options_.quick) rows = std::max<std::int64_t>(rows / 8, 2);
            for (std::int64_t at = 0; at < rows; at += most_rows) {
                Case& c = add(p->name, d, std::min(most_rows, rows - at));
                c.ld = ld;
                c.seed = options_.seed + static_cast<std::uint64_t>(at / most_rows);
            }
        }
    }

    std::vector<Case> cases;

  private:
    // In one call: many rows are many cases, one seed each, so that memory does not grow with them.
    static constexpr std::int64_t most_rows = 1024;
    // A kernel has these beside its plain entry of the same loops: fewer rows do, or they would be most of a gate.
    static bool is_variant(const Contract& c) { return c.residual != Residual::none || c.w != c.x || c.y != c.x; }

    const Op& op_;
    const Claim& claim_;
    const GateOptions& options_;
    const bool variant_;
};

constexpr std::array<std::int64_t, 28> edges{1,   2,   3,    7,    8,    9,    15,   16,  17,  31,
                                             32,  33,  63,   64,   65,   127,  128,  129, 511, 513,
                                             768, 769, 1535, 1537, 3584, 5120, 7167, 7169};

void add_edges(List& list, const Op& op, std::int64_t d, bool gain, bool batch) {
    for (const auto size : edges) {
        const std::int64_t rows = size < 1000 ? 8 : 2;
        list.add("gaussian", size, rows).yld = size % 2 ? size + 1 : 0;
        list.add("outlier", size, rows).ld = size + 3;
        list.add("onehot", size, std::min<std::int64_t>(size, 16));
    }
    for (const std::int64_t rows : {0, 1, 2, 255, 256, 257}) list.add("gaussian", 64, rows);
    list.add("gaussian", 64, 15).batch = 3;
    list.add("outlier", d, 4).threads = 4;
    for (int offset = 1; offset < 16; offset += 2) list.add("gaussian", 65, 3).offset = offset;
    for (const std::int64_t ld : {d + 1, std::max<std::int64_t>(op.ld, d + 64)})
        list.add("outlier", d, 5).ld = ld;
    Case& slice = list.add("gaussian", 48, 4);
    slice.ld = 80;
    slice.col = 32;
    for (const double eps : {0.0, 1e-5, 0x1p-7}) list.add("gaussian", 256, 16).eps = eps;
    // A kernel that takes another block from 256 rows on sums in another order: rows in which that shows in 16 bits.
    if (batch) list.add("outlier", std::min<std::int64_t>(d, 1536), 300);
    if (gain)
        for (const auto rule : {"ones", "pow2", "negative", "tiny"}) list.add("gaussian", d, 8).gain = rule;
}

}  // namespace

std::vector<Case> gate_cases(const Op& op, const Claim& claim, std::int64_t d, const GateOptions& options) {
    if (op.abi != Abi::rmsnorm) return query_cases(op, claim, d, options);
    Sizes sizes;
    op.defaults(sizes);
    List list(op, claim, options);
    const std::int64_t own = sizes[op.d];
    list.shape(d ? d : own, (d ? d : own) == own ? op.ld : 0);
    if (!d && !options.quick && options.profiles.empty())
        add_edges(list, op, own, claim.at(0).gain != Gain::none, claim.at(0).holds.find("batch") != std::string::npos);
    return std::move(list.cases);
}

}  // namespace ulpgate
