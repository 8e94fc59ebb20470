#include "impls/python/run.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "impls/python/function.hpp"
#include "properties/cases/activations.hpp"
#include "properties/judge/allowed.hpp"
#include "properties/profiles/profile.hpp"
#include "reports/console/console.hpp"
#include "reports/explain/arithmetic.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/run/replay.hpp"
#include "reports/run/runner.hpp"

namespace ulpgate::python {
namespace {

// The oracles run in the default floating-point mode; the callable in the caller's.
class Guarded {
  public:
    Guarded() : mxcsr(_mm_getcsr()) { _mm_setcsr(0x1f80); }
    ~Guarded() { _mm_setcsr(mxcsr); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    const unsigned mxcsr;
};

// Between two cases: Ctrl-C, which Python only notes, ends the run as the exception that it is.
class Pulse final : public Watcher {
  public:
    void planned(const Context&, std::int64_t) override {}
    void done(std::string_view) override {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals()) throw nb::python_error();
    }
};

SubjectOptions options(const std::string& home, Function* f, const std::string& subject, unsigned mxcsr, double timeout) {
    SubjectOptions o;
    o.home = home;
    if (timeout > 0) o.cpu_seconds = timeout;
    if (f) o.own = [f, subject, mxcsr](const std::string& text) { return text == subject ? open_here_subject(text, f->here(mxcsr)) : nullptr; };
    return o;
}

struct Settings {  // what a Python call may choose
    std::string home, subject;
    std::vector<std::string> ops, types, contracts, profiles;
    std::vector<std::int64_t> d;
    std::vector<std::string> lines;
    std::uint64_t seed = 7;
    std::int64_t rows = 0;
    bool quick = false, probes = true;
    std::string activations;
    double timeout = 0;
};

RunRequest request(const Settings& s, Function* f, unsigned mxcsr) {
    for (const auto& p : s.profiles)
        if (const auto all = profiles::all(); p != "activations" && std::none_of(all.begin(), all.end(), [&](const Profile* k) { return k->name == p; }))
            throw nb::value_error(fmt::format("no profile '{}': see python -m ulpgate list profiles", p).c_str());
    RunRequest r;
    r.options = options(s.home, f, s.subject, mxcsr, s.timeout);
    r.jobs = 0;
    r.contracts = s.contracts;
    r.self_check = 256;
    r.filter = {.ops = s.ops, .types = s.types, .profiles = s.profiles, .d = s.d, .seed = s.seed, .rows = s.rows, .quick = s.quick, .probes = s.probes, .activations = s.activations};
    Wanted w{s.subject, {}};
    for (const auto& line : s.lines) {
        Case c;
        if (const auto bad = parse(line, c)) throw nb::value_error(("case '" + line + "', column " + std::to_string(bad->at + 1) + ": " + bad->what).c_str());
        w.lines.push_back(std::move(c));
    }
    r.subjects.push_back(std::move(w));
    look_for_activations_in(s.home + "/activations");
    return r;
}

struct Run {
    Result result;
    std::string json() const { return to_json(result); }
    std::string html() const { return to_html(result); }
    std::string text() const { return result_text(result, {}); }
};

Run run_settings(const Settings& s, Function* f) {
    const Guarded guarded;
    auto r = request(s, f, guarded.mxcsr);
    RunOutcome o;
    {
        const nb::gil_scoped_release release;
        Pulse pulse;
        o = run(r, pulse);
    }
    if (!o.error.empty()) throw nb::value_error(o.error.c_str());
    return {std::move(o.result)};
}

std::pair<std::string, std::string> explain_settings(const Settings& s, Function* f, bool behaviour) {
    const Guarded guarded;
    const auto r = request(s, f, guarded.mxcsr);
    Explained e;
    {
        const nb::gil_scoped_release release;
        e = explain_arithmetic(r, {.behaviour = behaviour, .reruns = 3});
    }
    if (!e.error.empty()) throw nb::value_error(e.error.c_str());
    return {arithmetic_text(e, {}), arithmetic_json(e)};
}

template <class T>
nb::ndarray<nb::numpy, T> array(std::vector<T> v, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(v));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

// One row of a tensor, as words.
nb::object row_words(const std::byte* from, std::size_t n, Type t) {
    const auto words = [&]<class T>(T) {
        std::vector<T> v(n);
        std::memcpy(v.data(), from, n * sizeof(T));
        return nb::cast(array(std::move(v), {n}));
    };
    switch (bytes(t)) {
    case 1: return words(std::uint8_t{});
    case 2: return words(std::uint16_t{});
    default: return words(std::uint32_t{});
    }
}

nb::dict at_dict(const Mismatches::At& at) {
    nb::dict d;
    d["row"] = at.row;
    d["col"] = at.col;
    d["got"] = at.got;
    d["allowed_lo"] = at.allowed.lo;
    d["allowed_hi"] = at.allowed.hi;
    d["steps"] = at.steps;
    return d;
}

// The failing case again, with everything there is to look at.
nb::dict look(const Settings& s, Function* f) {
    Case c;
    if (parse(s.lines.at(0), c)) throw nb::value_error("not a case");
    const Guarded guarded;
    look_for_activations_in(s.home + "/activations");
    Replayed r;
    Mismatches m;
    std::vector<ElementSet> sets;
    {
        const nb::gil_scoped_release release;
        r = replay(s.subject, c, options(s.home, f, s.subject, guarded.mxcsr, s.timeout));
        if (r.how == Replayed::How::judged && r.outcome.event == Event::ok) {
            m = mismatches(r.made.tensors, r.outcome, c.claim);
            if (c.row >= 0) sets = allowed_row(r.made.tensors, r.outcome, c.claim, c.row);
        }
    }
    if (r.how != Replayed::How::judged) throw nb::value_error(r.what.c_str());
    nb::dict out;
    out["verdict"] = std::string(name(r.judgement.verdict));
    out["outside"] = m.outside;
    out["elements"] = m.elements;
    out["first"] = at_dict(m.first);
    out["worst"] = at_dict(m.worst);
    nb::dict arrays;
    const auto& t = r.made.tensors;
    const auto row = static_cast<std::size_t>(std::max<std::int64_t>(c.row, 0));
    for (std::size_t k = 0; k < t.all.size(); ++k) {
        const Tensor& v = t.all[k];
        const auto n = static_cast<std::size_t>(v.width()), es = static_cast<std::size_t>(bytes(v.type));
        const bool whole = v.rank < 2;
        if (!whole && static_cast<std::int64_t>(row) >= v.rows()) continue;
        const auto at = whole ? 0 : static_cast<std::size_t>(v.row_at(static_cast<std::int64_t>(row)));
        const auto& out_words = r.outcome.out.size() > k ? r.outcome.out[k] : std::vector<std::byte>{};
        const std::byte* from = v.spec->input() ? v.storage.data() + at * es : out_words.empty() ? nullptr : out_words.data() + (whole ? 0 : row * n * es);
        if (from) arrays[std::string(v.spec->name).c_str()] = nb::make_tuple(std::string(name(v.type)), row_words(from, n, v.type));
    }
    if (!sets.empty()) {
        const Type y = t.find("y")->type;
        const auto es = static_cast<std::size_t>(bytes(y));
        std::vector<std::byte> lo(sets.size() * es), hi(lo.size());
        for (std::size_t j = 0; j < sets.size(); ++j) {
            std::memcpy(lo.data() + j * es, &sets[j].lo, es);
            std::memcpy(hi.data() + j * es, &sets[j].hi, es);
        }
        arrays["allowed_lo"] = nb::make_tuple(std::string(name(y)), row_words(lo.data(), sets.size(), y));
        arrays["allowed_hi"] = nb::make_tuple(std::string(name(y)), row_words(hi.data(), sets.size(), y));
    }
    out["arrays"] = arrays;
    return out;
}

// The hash of a case's inputs, for a manifest; what is wrong with it as a ValueError.
std::string hash_of(const std::string& line) {
    Case c;
    if (const auto bad = parse(line, c)) throw nb::value_error(("case '" + line + "': " + bad->what).c_str());
    const auto made = make(c);
    if (!made.error.empty()) throw nb::value_error(made.error.c_str());
    return fmt::format("{:016x}", made.tensors.hash());
}

// "cast_first" or "bf16,cast_first" for a type, or a ValueError that says what would be right. The whole text comes back.
std::string whole_contract(const std::string& type, const std::string& text) {
    Claim c;
    const auto bare = parse(text, c);
    if (!bare && name(c[0].x) != type)
        throw nb::value_error(fmt::format("contract '{}' is of {}, dtype says {}", text, name(c[0].x), type).c_str());
    if (!bare) return print(c);
    if (const auto bad = parse(text.empty() ? type : type + "," + text, c); bad)
        throw nb::value_error(fmt::format("contract '{}', column {}: {}", text, bare->at + 1, bare->what).c_str());
    return print(c);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<Function>(self)->visit(visit, arg) : 0;
}
int clear(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<Function>(self)->clear();
    return 0;
}
PyType_Slot function_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

void bind_runs(nb::module_& m) {
    nb::class_<Settings>(m, "Settings")
        .def(nb::init<>())
        .def_rw("home", &Settings::home)
        .def_rw("subject", &Settings::subject)
        .def_rw("ops", &Settings::ops)
        .def_rw("types", &Settings::types)
        .def_rw("contracts", &Settings::contracts)
        .def_rw("profiles", &Settings::profiles)
        .def_rw("d", &Settings::d)
        .def_rw("lines", &Settings::lines)
        .def_rw("seed", &Settings::seed)
        .def_rw("rows", &Settings::rows)
        .def_rw("quick", &Settings::quick)
        .def_rw("probes", &Settings::probes)
        .def_rw("activations", &Settings::activations)
        .def_rw("timeout", &Settings::timeout);
    nb::class_<Function>(m, "Function", nb::type_slots(function_slots)).def(nb::init<nb::object, nb::object, std::vector<std::string>, std::string, std::string>());
    nb::class_<Run>(m, "Run")
        .def("json", &Run::json)
        .def("html", &Run::html)
        .def("text", &Run::text)
        .def_prop_ro("exit", [](const Run& r) { return r.result.exit; });
    m.def("run", &run_settings, nb::arg("settings"), nb::arg("function").none());
    m.def("explain", &explain_settings, nb::arg("settings"), nb::arg("function").none(), nb::arg("behaviour"));
    m.def("look", &look, nb::arg("settings"), nb::arg("function").none());
    m.def("hash_of", &hash_of);
    m.def("whole_contract", &whole_contract);
}

}  // namespace ulpgate::python
