#include "reference/faults/fault.hpp"

namespace ulpgate::faults {

// Each order is one that the contract allows: only a row met in two batches shows it.
PIECE(Fault, order_batch_variant) = {
    .kind = "order.batch_variant",
    .stage = Stage::rows,
    .line = "from 256 rows on, S is summed in another order",
    .fix = "choose the block size by d alone, or do not claim holds=batch",
    .change =
        [](Model& m) {
            m.for_rows = [](Model& model, std::int64_t rows) {
                const std::string_view other = model.order.order->name == "sequential" ? "pairwise" : "sequential";
                if (rows >= 256) model.order = *find_order(other);
            };
        },
    .needs = "one row in batches of fewer and of 256 rows or more",
};

}  // namespace ulpgate::faults
