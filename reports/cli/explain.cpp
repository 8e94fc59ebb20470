#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "reference/base/file.hpp"
#include "reports/cli/gate_request.hpp"
#include "reports/explain/arithmetic.hpp"

namespace ulpgate::cli {
namespace {

// Two subjects' orders: the same additions?
int compare_orders(const Explained& e, const std::string& a, const std::string& b) {
    int exit = 0, compared = 0;
    for (const auto& left : e.all)
        for (const auto& right : e.all) {
            if (left.group.subject != a || right.group.subject != b || left.group.op != right.group.op || left.group.type != right.group.type || left.d != right.d) continue;
            if (left.group.claim[0].map != right.group.claim[0].map) continue;
            ++compared;
            const auto where = fmt::format("{} {} d={}", left.group.op, name(left.group.type), left.d);
            if (left.order.tree.root == Tree::none || right.order.tree.root == Tree::none) {
                fmt::print("{}: not compared\n  {}: {}\n  {}: {}\n", where, a, order_line(left.order), b, order_line(right.order));
                exit = 5;
                continue;
            }
            const auto d = compare(left.order.tree, right.order.tree, a, b);
            if (d.equal) fmt::print("{}: the same order: {}\n", where, order_line(left.order));
            else fmt::print("{}: the orders part\n  {}\n  {}: {}\n  {}: {}\n", where, d.where, a, order_line(left.order), b, order_line(right.order));
            exit = std::max(exit, d.equal ? 0 : 1);
        }
    if (!compared) {
        fmt::print(stderr, "ulpgate: {} and {} have no op, type and claim in common\n", a, b);
        return 5;
    }
    return exit;
}

int explain_run(const Arguments& a) {
    const auto style = style_for(one_of(a, "color", {"auto", "always", "never"}), STDOUT_FILENO);
    const auto json = a.text("json");
    auto request = gate_request(a);
    const bool orders = a.has("order");
    if (orders && a.operands.size() != 2) throw UsageError("--order compares two subjects: explain --order A B");
    // One op unless asked for: the arithmetic is the entry's, whatever the op's name.
    if (request.filter.ops.empty()) request.filter.ops = {"q_a_layernorm"};
    if (request.filter.d.empty() && request.filter.ops.size() == 1) {
        Sizes s;
        const Op* op = find_op(request.filter.ops[0]);
        op->defaults(s);
        request.filter.d = {s[op->d]};
    }
    if (!a.has("whole")) request.filter.quick = true;
    request.required.clear();
    auto e = explain_arithmetic(request, {.behaviour = !orders && !a.has("no-behaviour"), .reruns = static_cast<int>(a.integer("reruns", 50, 2, 10000))});
    if (!e.error.empty()) throw UsageError(e.error);
    if (orders) return compare_orders(e, a.operands[0], a.operands[1]);
    std::FILE* people = json == "-" ? stderr : stdout;
    if (json == "-") fmt::print("{}", arithmetic_json(e));
    fmt::print(people, "{}", arithmetic_text(e, style));
    std::fflush(stdout);
    if (!json.empty() && json != "-")
        if (auto bad = write_file(json, arithmetic_json(e)); !bad.empty()) throw UsageError(bad);
    return e.result.exit == 0 && e.behaviour_failed ? 1 : e.result.exit;
}

constexpr Flag flags[] = {
    {"op", Takes::list, "OP", "of these ops (default q_a_layernorm)"},
    {"type", Takes::list, "TYPE", "only these types of x: bf16, fp16, f32"},
    {"d", Takes::list, "D", "these widths instead of the op's own"},
    {"contract", Takes::several, "TEXT", "hold the subject to this instead of its own claim"},
    {"profile", Takes::list, "NAME", "judge by these input profiles only"},
    {"seed", Takes::one, "N", "of the generated inputs (default 7)"},
    {"whole", Takes::nothing, "", "judge by all rows of gate, not by a part of them"},
    {"order", Takes::nothing, "", "explain --order A B: do they add in the same order, and where do they part?"},
    {"reruns", Takes::one, "N", "how often the same rows are run (default 50)"},
    {"no-behaviour", Takes::nothing, "", "without reruns, threads, batches, offsets, strides and aliases"},
    {"json", Takes::one, "FILE", "the explanation as JSON (ulpgate.explain/1); - is stdout"},
    timeout_flag,
    child_env_flag,
    color_flag,
};

}  // namespace

PIECE(Verb, explain_subject) = {"explain", "SUBJECT...", "say which arithmetic a kernel computes, with evidence",
    "The contract that its rows fit, the form of its mean and root, the order of its sum read from outside (rooted triples: a square\n"
    "M and two of a little less than half an ulp of it), a model's text that gives random rows bit for bit, what stays the same\n"
    "from call to call, and the smallest row that fails its claim. Exit codes as gate's; --order: 0 the same, 1 not.",
    flags, 1, any_number, explain_run};

}  // namespace ulpgate::cli
