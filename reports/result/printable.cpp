#include "reports/result/printable.hpp"

#include "reports/escape/escape.hpp"

namespace ulpgate {
namespace {

template <class... S>
void clean(S&... texts) {
    ((texts = printable(std::string_view(texts))), ...);
}
void clean_all(std::vector<std::string>& texts) {
    for (auto& t : texts) clean(t);
}

void clean_group(Group& g) {
    clean(g.subject, g.op, g.worst_line, g.unknown, g.fix);
    for (auto& c : g.cells) clean(c.profile, c.line);
    for (auto& f : g.failures) {
        clean(f.what, f.reason, f.line);
        clean_all(f.replay);
    }
    clean_all(g.findings);
    clean_all(g.names);
    clean_all(g.explained);
    for (auto& x : g.excluded) clean(x.kind, x.why);
    for (auto& l : g.limits) clean(l.quantity, l.where, l.why, l.line, l.note);
    if (g.known) clean(g.known->finding, g.known->why, g.known->until, g.known->where);
}

}  // namespace

StageTable printable(StageTable t) {
    clean(t.subject, t.op, t.model, t.how);
    for (auto& l : t.lines) clean(l.stage, l.line);
    return t;
}

EpsTable printable(EpsTable t) {
    clean(t.op, t.source, t.subject, t.warning);
    return t;
}

Result printable(Result r) {
    auto& c = r.context;
    clean(c.version, c.compiler, c.flags, c.machine, c.isa, c.cpu, c.system, c.self_check_what);
    for (auto& s : r.subjects) clean(s.text, s.name, s.version, s.mode);
    for (auto& g : r.groups) clean_group(g);
    for (auto& t : r.stages) t = printable(std::move(t));
    for (auto& t : r.eps) t = printable(std::move(t));
    for (auto& m : r.maxima) clean(m.subject, m.op, m.quantity, m.count, m.line);
    for (auto& s : r.skipped) clean(s.subject, s.reason);
    for (auto& n : r.not_loaded) clean(n.subject, n.reason);
    clean_all(r.notes);
    return r;
}

}  // namespace ulpgate
