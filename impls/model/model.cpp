// Any model or fault of reference/ as a subject behind the public ABI. The variant says which, as in
// reference/faults/subject_text.hpp. Each entry claims the contract of its model without the fault: a faulty
// kernel does not know that it is one.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "impls/model/query.hpp"
#include "impls/ulpgate_kernel.h"
#include "reference/faults/fault.hpp"
#include "reference/faults/subject_text.hpp"
#include "reference/query_faults/query_fault.hpp"

namespace {

using namespace ulpgate;

struct Kernel {
    Model model;
    std::string claim;
};

// What one variant is answered with; lives until the module is unloaded.
struct Described {
    std::string variant, name, note, unavailable;
    std::vector<std::unique_ptr<Kernel>> kernels;
    std::vector<std::unique_ptr<QueryKernel>> query_kernels;
    std::vector<ulpgate_entry> entries;
    ulpgate_descriptor descriptor{};
};

const ulpgate_tensor& field(const ulpgate_rmsnorm& a, std::string_view tensor) {
    if (tensor == "w") return a.w;
    if (tensor == "y") return a.y;
    if (tensor == "residual") return a.residual;
    if (tensor == "residual_out") return a.residual_out;
    return a.x;
}

// Shape, type and strides of a tensor, its column stride made 1; false where the call does not fit the entry.
bool describe(const ulpgate_tensor& from, std::int64_t rows, std::int64_t d, Tensor& to) {
    const bool matrix = to.spec->dim[1] != Dim::none;
    if (!from.data || from.type != static_cast<std::uint32_t>(to.type) || from.rank != (matrix ? 2u : 1u))
        return false;
    if (from.size[from.rank - 1] != d || (matrix && from.size[0] != rows)) return false;
    to.rank = static_cast<int>(from.rank);
    to.size = {matrix ? rows : d, matrix ? d : 1, 1, 1};
    to.stride = {matrix ? d : 1, 1, 0, 0};
    if (matrix && from.stride[1] == 1) to.stride[0] = from.stride[0];
    return true;
}

// Copies an input with the gaps between its rows, which a fault of the address may read; a column stride is
// taken out.
void read(const ulpgate_tensor& from, Tensor& to) {
    const auto size = static_cast<std::size_t>(bytes(to.type));
    const auto* data = static_cast<const std::byte*>(from.data);
    to.storage.resize(static_cast<std::size_t>(to.extent()) * size);
    const auto column = from.stride[from.rank - 1];
    if (column == 1) {
        std::memcpy(to.storage.data(), data, to.storage.size());
        return;
    }
    for (std::int64_t i = 0; i < to.count(); ++i) {
        const auto row = from.rank == 2 ? i / to.width() * from.stride[0] : 0;
        std::memcpy(to.storage.data() + static_cast<std::size_t>(i) * size,
                    data + static_cast<std::size_t>(row + i % to.width() * column) * size, size);
    }
}

void write(const std::vector<std::byte>& packed, const ulpgate_tensor& to) {
    const auto size = static_cast<std::size_t>(bytes(Type{to.type}));
    auto* data = static_cast<std::byte*>(to.data);
    for (std::int64_t row = 0; row < to.size[0]; ++row) {
        const auto* in = packed.data() + static_cast<std::size_t>(row * to.size[1]) * size;
        auto* out = data + static_cast<std::size_t>(row * to.stride[0]) * size;
        for (std::int64_t j = 0; j < to.size[1]; ++j, in += size)
            std::memcpy(out + static_cast<std::size_t>(j * to.stride[1]) * size, in, size);
    }
}

int compute(const ulpgate_rmsnorm& a, const Model& model) {
    const Contract& c = model.contract;
    Tensors t;
    t.op = find_op("final_norm");
    t.contract = c;
    t.sizes[Dim::rows] = a.rows;
    t.sizes[Dim::d] = a.d;
    t.eps = a.eps;
    for (const TensorSpec& spec : t.op->tensors) {
        if (!spec.present(c)) continue;
        Tensor n;
        n.spec = &spec;
        n.type = spec.type == Of::x ? c.x : spec.type == Of::w ? c.w : spec.type == Of::y ? c.y : c.res;
        if (!describe(field(a, spec.name), a.rows, a.d, n)) return ULPGATE_BAD_ARGUMENT;
        t.all.push_back(std::move(n));
    }
    if (a.d < 1 || a.rows < 0 ||
        a.d_stat != static_cast<std::int64_t>(model.statistic_width(static_cast<std::size_t>(a.d))))
        return ULPGATE_BAD_ARGUMENT;
    if (a.rows == 0) return ULPGATE_OK;
    for (Tensor& n : t.all)
        if (n.spec->input()) read(field(a, n.spec->name), n);
    const auto out = model.run(t);
    for (std::size_t k = 0; k < t.all.size(); ++k)
        if (!t.all[k].spec->input()) write(out[k], field(a, t.all[k].spec->name));
    return ULPGATE_OK;
}

int rmsnorm(const ulpgate_rmsnorm* a) {
    try {
        return compute(*a, static_cast<const Kernel*>(a->call.entry->user)->model);
    } catch (...) {
        return ULPGATE_FAILED;
    }
}

void add(Described& d, Model model) {
    auto k = std::make_unique<Kernel>();
    k->model = std::move(model);
    const Model& m = k->model;
    k->claim = print(m.contract);
    ulpgate_entry e{};
    e.size = sizeof e;
    e.contract = k->claim.c_str();
    e.rmsnorm = rmsnorm;
    e.d_min = 1;
    for (const Fault* f : faults_of(m)) {
        const double p = m.parameters[static_cast<std::size_t>(f->stage)].p;
        if (f->param == "COLUMN" && p >= 0) e.d_min = std::max(e.d_min, static_cast<std::int64_t>(p) + 1);  // it must exist
    }
    e.user = k.get();
    d.entries.push_back(e);
    d.kernels.push_back(std::move(k));
}

void fill(Described& d) {
    d.name = d.variant;
    SubjectModels found;
    if (const auto query = parse_query_subject(d.variant)) {
        if (query->error) d.unavailable = fmt::format("column {}: {}", query->error->at + 1, query->error->what);
        add_query(*query, d.query_kernels, d.entries);
    } else if (const auto bad = parse_subject(d.variant, found))
        d.unavailable = fmt::format("column {}: {}", bad->at + 1, bad->what);
    for (Model& m : found.models) add(d, std::move(m));
    d.note = std::move(found.left_out);
    if (d.unavailable.empty() && d.entries.empty()) d.unavailable = d.note;
    d.descriptor = {ULPGATE_HEAD,
                    .entry_count = static_cast<std::uint32_t>(d.entries.size()),
                    .name = d.name.c_str(),
                    .version = d.note.empty() ? nullptr : d.note.c_str(),
                    .entries = d.entries.data(),
                    .unavailable = d.unavailable.empty() ? nullptr : d.unavailable.c_str()};
    d.descriptor.device = ULPGATE_CPU;
    d.descriptor.threading = ULPGATE_REENTRANT;
}

}  // namespace

const ulpgate_descriptor* ULPGATE_DESCRIBE(const char* variant) {
    static std::mutex guard;
    static std::vector<std::unique_ptr<Described>> all;
    try {
        const std::lock_guard lock(guard);
        const std::string_view text = variant && *variant ? variant : "model/cast_first";
        for (const auto& d : all)
            if (d->variant == text) return &d->descriptor;
        auto d = std::make_unique<Described>();
        d->variant = text;
        fill(*d);
        all.push_back(std::move(d));
        return &all.back()->descriptor;
    } catch (...) {
        return nullptr;
    }
}
