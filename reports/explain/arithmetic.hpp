// Which arithmetic a kernel computes, with evidence: what was judged, then what only built rows show (the mean, the root, the
// order of the sum), what stays the same from call to call, and the smallest row that shows a difference from the claim.
#pragma once
#include <string>
#include <vector>

#include "properties/behaviour/behaviour.hpp"
#include "properties/explain_query/gemm_order.hpp"
#include "properties/order/recover.hpp"
#include "properties/reduce/reduce.hpp"
#include "reports/console/style.hpp"
#include "reports/run/plan.hpp"

namespace ulpgate {

struct Arithmetic {
    Group group;                      // as gate judged it
    std::int64_t d = 0;
    std::vector<Contract> contracts;  // what explains every row: the claim where it holds
    std::string skipped;              // "" or why nothing beyond the judgement was asked
    FormFinding forms;
    OrderFinding order;
    std::vector<GemmOrder> sums;      // of mla_query and head, instead of forms and order
    std::string model;                // their restatement: what it gives of random tokens
    std::vector<Relation> behaviour;
    std::optional<Reduced> smallest;  // of the failing row
    std::vector<std::string> replays; // case lines: the failure, the smallest row, a row of the order
    double seconds = 0;
};

struct Explained {
    std::string error;  // usage
    Result result;      // the run
    std::vector<Arithmetic> all;
    bool behaviour_failed = false;
};

struct ExplainOptions {
    bool behaviour = true;
    int reruns = 50;
};
Explained explain_arithmetic(const RunRequest&, const ExplainOptions&);

std::string arithmetic_text(const Explained&, const Style&);
std::string arithmetic_json(const Explained&);  // schema ulpgate.explain/1
inline constexpr std::string_view explain_schema = "ulpgate.explain/1";

// "T((x·r)·w), mean S / d, r = 1/sqrt(v) correctly rounded": in one line, for a table and for diff.
std::string computes_words(const Arithmetic&);
std::string order_line(const OrderFinding&);
std::string sums_line(const GemmOrder&);

}  // namespace ulpgate
