#include "impls/python/function.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "impls/python/memory.hpp"

namespace ulpgate::python {

Function::Function(nb::object call, nb::object refused, std::vector<std::string> contracts, std::string name, std::string version)
    : call_(std::move(call)), refused_(std::move(refused)), contracts_(std::move(contracts)), name_(std::move(name)), version_(std::move(version)) {
    for (const auto& c : contracts_) {
        ulpgate_entry e{};
        e.size = sizeof e;
        e.contract = c.c_str();
        e.rmsnorm = rmsnorm;
        e.user = this;
        entries_.push_back(e);
    }
    descriptor_ = {ULPGATE_HEAD};
    descriptor_.device = ULPGATE_CPU;
    descriptor_.entry_count = static_cast<std::uint32_t>(entries_.size());
    descriptor_.entries = entries_.data();
    descriptor_.name = name_.c_str();
    descriptor_.version = version_.c_str();
}

HereKernel Function::here(unsigned mxcsr) const {
    return {&descriptor_, [this] { return why_; }, mxcsr};
}

int Function::visit(visitproc visitor, void* argument) const {
    for (PyObject* o : {call_.ptr(), refused_.ptr()})
        if (const int r = o ? visitor(o, argument) : 0) return r;
    return 0;
}

void Function::clear() {
    call_.reset();
    refused_.reset();
}

int Function::rmsnorm(const ulpgate_rmsnorm* a) { return static_cast<Function*>(const_cast<void*>(a->call.entry->user))->call(*a); }

int Function::call(const ulpgate_rmsnorm& a) {
    const nb::gil_scoped_acquire gil;
    try {
        nb::dict in, out;
        const auto add = [&](nb::dict& to, const char* name, const ulpgate_tensor& t) {
            if (t.data) to[name] = nb::cast(Memory(name, t, memory_of_call()));
        };
        add(in, "x", a.x);
        add(in, "w", a.w);
        add(in, "beta", a.beta);
        add(in, "residual", a.residual);
        add(out, "y", a.y);
        add(out, "residual_out", a.residual_out);
        add(out, "rstd", a.rstd);
        call_(in, out, a.eps, a.d_stat);
        return ULPGATE_OK;
    } catch (nb::python_error& e) {
        if (e.matches(refused_)) return ULPGATE_REFUSED;
        if (!e.matches(PyExc_Exception)) throw;  // KeyboardInterrupt, SystemExit: the caller's
        const auto name = nb::cast<std::string>(e.type().attr("__name__"));
        why_ = fmt::format("{}: {}", name, nb::str(e.value()).c_str());
        if (const auto end = why_.find('\n'); end != std::string::npos) why_.resize(end);
        return ULPGATE_FAILED;
    }
}

}  // namespace ulpgate::python
