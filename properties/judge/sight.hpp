// What a passing row would have seen: the smallest changes of the kernel that leave the claim at this row.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "properties/judge/judge.hpp"
#include "properties/judge/view.hpp"
#include "reference/admissible/row_set.hpp"

namespace ulpgate::judging {

class Observer {
  public:
    Observer(const Contract&, double eps, std::int64_t d);
    // claim: every member that could excuse a changed output, the one that explains the row first. fitted:
    // its scalars. statistic_input: what its statistic sees.
    void row(std::span<const RowView> claim, const RowSet& fitted, std::span<const float> statistic_input);
    Sight finish();

  private:
    enum class Way { up, down };
    // Whether scaling r of the first member so that its scalar becomes `scalar` shows: some output beyond
    // every member's set.
    bool visible(Way, float scalar);
    float edge(Way) const;  // the end of the statistic interval on that side
    float threshold(Way, float visible_at);
    double change_to(Way, float scalar) const;  // least relative change of r that is sure to reach the scalar
    float scalar_after(Way, double change) const;
    void high(std::span<const float> statistic_input);
    void low();
    bool other_order();
    double eps_from(Way, double change_of_r) const, r_from(Way, double change_of_eps) const;

    double eps_, noise_;
    std::int64_t d_stat_;
    Map map_ = Map::none;
    std::vector<const MapPiece*> others_;
    Sight sight_;
    std::vector<bool> columns_;  // seen
    // of the row in work
    std::span<const RowView> claim_;
    RowSet fitted_;
    double dominance_ = 0;                    // (v + eps) / eps, at most
    std::vector<std::vector<float>> far_[2];  // by way, by member: |f| at that end of its interval
};

// What both see, of the same rows.
Sight common(Sight, const Sight&);

}  // namespace ulpgate::judging
