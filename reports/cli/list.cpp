#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "impls/subject/subject.hpp"
#include "properties/profiles/profile.hpp"
#include "reference/faults/fault.hpp"
#include "reference/orders/order.hpp"
#include "reference/restated/restated.hpp"
#include "reports/cli/verb.hpp"

namespace ulpgate::cli {
namespace {

void subjects(const Arguments& a) {
    SubjectOptions options;
    options.home = a.home;
    const auto show = [&](const std::string& text) {
        auto s = open_subject(text, options);
        const auto o = s->start();
        std::string entries;  // one a line
        for (const auto& e : s->entries()) entries += (entries.empty() ? "" : "\n" + std::string(27, ' ')) + e.contract;
        const auto what = o.event == Event::unavailable ? "SKIPPED: " + o.what : o.event != Event::ok ? "DID NOT LOAD: " + o.what : entries;
        fmt::print("  {:<24} {}\n", text, what);
    };
    for (const auto& s : built_in_subjects(a.home)) show(s);
    for (const auto& s : byhand_subjects(a.home)) show(s);
    fmt::print("  {:<24} {}\n", "PATH[@VARIANT]", "a shared library that exports ulpgate_describe: ulpgate new rmsnorm.c writes one");
    fmt::print("  {:<24} {}\n", "FILE.toml[@VARIANT]", "kernels in PTX, called as the file says: ulpgate gate --launch-template FILE.ptx");
    fmt::print("  {:<24} {}\n", "model/TEXT", "a bit-exact restatement: model/bf16,cast_first,order=lanes:8x4");
    fmt::print("  {:<24} {}\n", "faulty/KIND[:P][,MODEL]", "a model with one piece changed: see ulpgate list faults");
    fmt::print("  {:<24} {}\n", "files:DIR", "outputs computed elsewhere: see ulpgate export");
}

void the_ops(const Arguments&) {
    for (const Op* o : ops::all()) {
        Sizes n;
        o->defaults(n);
        fmt::print("  {:<16} d {:<6} {}\n", o->name, n[o->d], o->what);
    }
}

void types(const Arguments&) {
    for (Type t : {Type::bf16, Type::fp16, Type::f32}) fmt::print("  {:<6} {} bits, {} significand bits\n", name(t), 8 * bytes(t), precision(t));
}

void the_profiles(const Arguments&) {
    for (const Profile* p : profiles::all()) fmt::print("  {:<16} {}{}\n", p->name, p->probe ? "[probe] " : "", p->what);
    fmt::print("  {:<16} {}\n", "activations", "real rows and gains: those that ship with ulpgate, or --activations FILE");
}

void the_faults(const Arguments&) {
    for (const Fault* f : faults::all())
        fmt::print("  {:<24} {}\n  {:<24} fix: {}\n", f->param.empty() ? std::string(f->kind) : fmt::format("{}:{}", f->kind, f->param), f->line, "", f->fix);
}

void contracts(const Arguments&) {
    fmt::print("  TYPE[,MAP][,key=value]...  defaults may be left out; '+' joins members of a set, e.g. bf16,cast_first\n");
    for (const auto& f : contract_fields()) fmt::print("  {:<12} {:<44} default {:<10} {}\n", f.key, f.values, f.default_value, f.consequence);
}

void the_orders(const Arguments&) {
    for (const Order* o : orders::all()) {
        const auto p = o->params.empty() ? std::string(o->name) : fmt::format("{}:{}", o->name, o->params);
        fmt::print("  {:<24} {:<8} {}\n", p, o->defaults, o->why);
    }
}

void models(const Arguments&) {
    fmt::print("  model/TEXT: a contract's text (ulpgate list contracts), every field restated bit for bit, and\n");
    for (const auto& f : model_fields())
        fmt::print("  {:<12} {:<26} {}\n", f.key, f.values, f.what);
    fmt::print("  kernels restated so; scalar and avx* in every entry, with the entry's own contract:\n");
    for (const Restatement* r : restated::all()) {
        fmt::print("  {:<16} model/{}\n  {:<16} {}\n", r->name, model_text(*r), "", r->what);
    }
}

struct Topic {
    std::string_view name;
    void (*show)(const Arguments&);
};
constexpr Topic topics[] = {{"subjects", subjects}, {"ops", the_ops},       {"types", types},          {"profiles", the_profiles},
                            {"faults", the_faults}, {"contracts", contracts}, {"orders", the_orders}, {"models", models}};

int list_run(const Arguments& a) {
    std::vector<std::string> names;
    for (const auto& t : topics) names.emplace_back(t.name);
    for (const auto& word : a.operands)
        if (std::find(names.begin(), names.end(), word) == names.end())
            throw UsageError(fmt::format("no list '{}'{}", word, did_you_mean(word, names)));
    for (const auto& t : topics) {
        if (!a.operands.empty() && std::find(a.operands.begin(), a.operands.end(), t.name) == a.operands.end()) continue;
        fmt::print("{}\n", t.name);
        std::fflush(stdout);
        t.show(a);
    }
    return 0;
}

}  // namespace

PIECE(Verb, list_all) = {"list", "[WHAT...]", "subjects, ops, types, profiles, faults, contracts, orders, models", "", {}, 0, any_number, list_run};

}  // namespace ulpgate::cli
