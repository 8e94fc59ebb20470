#include "impls/subject/isolated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "impls/subject/memory.hpp"
#include "impls/subject/process.hpp"
#include "impls/ulpgate_kernel.h"
#include "reference/base/text.hpp"
#include "reference/formats/format.hpp"

namespace ulpgate {
namespace {

constexpr unsigned char poison_a = 0xff, poison_b = 0x71;  // NaN in every format; a large finite number

std::string mode_text(std::uint32_t mxcsr) {
    std::string s;
    const auto add = [&](bool on, const char* what) {
        if (on) s += (s.empty() ? "" : "+") + std::string(what);
    };
    add(mxcsr & 0x8000, "ftz");
    add(mxcsr & 0x0040, "daz");
    add(mxcsr & 0x6000, "rounding not to nearest");
    add((mxcsr & 0x1f80) != 0x1f80, "exceptions unmasked");
    return s.empty() ? "" : s + " on";
}

bool claims(const Claim& claim, std::string_view invariance) {
    for (const Contract& c : claim)
        for (auto held : split(c.holds, '.'))
            if (held == invariance) return true;
    return false;
}

// Which NaN comes out is nobody's claim: two that meet leave the one that the compiler put first, and that is another in another loop.
bool both_nan(Type t, const std::byte* a, const std::byte* b) {
    if (t == Type::i8 || t == Type::i64) return false;
    return with_format(t, [&](auto f) {
        typename decltype(f)::Word v, w;
        std::memcpy(&v, a, sizeof v);
        std::memcpy(&w, b, sizeof w);
        return f.is_nan(v) && f.is_nan(w);
    });
}

// The first element with other bits, or with other bits than another NaN's; -1: none. a may be a part of b.
enum class Nan { bits, any };
std::int64_t first_other(Type t, const std::vector<std::byte>& a, const std::vector<std::byte>& b, Nan nan) {
    const auto n = static_cast<std::size_t>(bytes(t));
    if (a.empty() || !std::memcmp(a.data(), b.data(), a.size())) return -1;
    for (std::size_t k = 0; k < a.size(); k += n)
        if (std::memcmp(&a[k], &b[k], n) && !(nan == Nan::any && both_nan(t, &a[k], &b[k]))) return static_cast<std::int64_t>(k / n);
    return -1;
}

bool same_place(const Tensor& a, const Tensor& b) { return a.type == b.type && a.size == b.size && a.stride == b.stride; }

// The case of its first rows, which are tokens of one sequence; the inputs' bytes stay where they are.
Tensors first_rows(const Tensors& t, std::int64_t rows) {
    Tensors part{t.op, t.contract, t.sizes, t.eps, t.config_eps, t.offset, t.threads, {}};
    part.sizes[Dim::rows] = part.sizes[Dim::tokens] = rows;
    part.sizes[Dim::batch] = 1;
    for (const Tensor& v : t.all) {
        Tensor& n = part.all.emplace_back(Tensor{v.spec, v.type, v.rank, v.size, v.stride, {}});
        if (n.rank == 2 || n.spec->dim[0] == Dim::rows) n.size[0] = rows;
    }
    return part;
}

class CalledSubject final : public Subject {
  public:
    CalledSubject(std::string text, std::unique_ptr<Callee> callee) : text_(std::move(text)), callee_(std::move(callee)) {}

    const std::string& text() const override { return text_; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return name_; }
    std::string version() const override { return version_; }
    std::string mode() const override { return mode_; }

    Outcome start() override {
        Outcome o = callee_->spawn();
        if (o.event != Event::ok) return o;
        return read_description();
    }

    Outcome run(std::size_t entry, const Tensors& t) override {
        if (entry >= entries_.size()) return {Event::refused, fmt::format("there is no entry {}", entry), {}, {}, 0};
        if (auto e = refused(entries_[entry], t); !e.empty()) return {Event::refused, e, {}, {}, 0};
        held_ = {};
        const bool must = t.contract.inplace == InPlace::must || claims_in_place(entry, InPlace::must);
        const bool may = t.contract.inplace == InPlace::may || claims_in_place(entry, InPlace::may);
        if (must && !can_alias(t)) return {Event::refused, "works in place only, and y has another type or other strides than x", {}, {}, 0};
        Outcome o = must ? compare(entry, t, true) : compare(entry, t, false);
        if (o.event == Event::ok && !must && claims(claims_[entry], "batch"))
            if (Outcome other = fewer_rows(entry, t, o); other.event != Event::ok) return other;
        if (o.event != Event::ok || must || !may || !can_alias(t)) return o;
        Outcome in_place;
        call(entry, t, {Flush::front, poison_a, true}, in_place, &o);
        o.cpu_seconds += in_place.cpu_seconds;
        if (in_place.event != Event::ok) {
            in_place.what = "in place: " + in_place.what;
            return in_place;
        }
        if (const auto at = difference(t, o.out, in_place.out, Nan::any); !at.empty())
            return {Event::corrupted, "in place the bits are others, first at " + at, {}, {}, o.cpu_seconds};
        return o;
    }

  private:
    Outcome read_description() {
        const child::Control& c = callee_->control();
        const auto bounded = [](const char* s, std::size_t n) { return std::string(s, ::strnlen(s, n)); };
        name_ = bounded(c.name, sizeof c.name);
        version_ = bounded(c.version, sizeof c.version);
        mode_ = mode_text(c.mxcsr);
        entries_.clear();
        claims_.clear();
        for (std::uint32_t k = 0; k < c.entry_count && k < child::entries; ++k) {
            const child::EntryText& e = c.entry[k];
            EntryInfo info{bounded(e.contract, sizeof e.contract), static_cast<Abi>(e.abi), e.d_min, e.d_max, e.d_divisor, e.align, e.readable_past_end};
            Claim claim;
            if (const auto bad = parse(info.contract, claim)) {
                callee_->kill();
                return {Event::not_loaded, fmt::format("entry {}: contract \"{}\", at {}: {}", k, info.contract, bad->at, bad->what), {}, {}, 0};
            }
            entries_.push_back(std::move(info));
            claims_.push_back(std::move(claim));
        }
        return {};
    }

    static std::string refused(const EntryInfo& e, const Tensors& t) {
        const std::int64_t d = t.sizes[t.op->d];
        if (e.abi != t.op->abi) return "this entry computes another operation";
        if (e.d_min && d < e.d_min) return fmt::format("d = {}, the entry needs at least {}", d, e.d_min);
        if (e.d_max && d > e.d_max) return fmt::format("d = {}, the entry takes at most {}", d, e.d_max);
        if (e.d_divisor && d % e.d_divisor) return fmt::format("d = {} is no multiple of {}", d, e.d_divisor);
        return "";
    }

    bool claims_in_place(std::size_t entry, InPlace how) const {
        return std::any_of(claims_[entry].begin(), claims_[entry].end(), [how](const Contract& c) { return c.inplace == how; });
    }

    static bool can_alias(const Tensors& t) {
        const auto pair = [&](const char* in, const char* out) {
            const Tensor *a = t.find(in), *b = t.find(out);
            return !a || !b || same_place(*a, *b);
        };
        return t.find("x") && t.find("y") && pair("x", "y") && pair("residual", "residual_out");
    }

    // One call; fills `o` and says whether it went well. Given what is expected, o.out is left empty where the bits are
    // those: no copy is made.
    bool call(std::size_t entry, const Tensors& t, const Pass& pass, Outcome& o, const Outcome* expected = nullptr) {
        return call(entry, t, t, pass, o, expected);
    }
    bool call(std::size_t entry, const Tensors& t, const Tensors& data, const Pass& pass, Outcome& o, const Outcome* expected) {
        if (!callee_->alive())
            if (o = start(); o.event != Event::ok) return false;
        CallMemory memory(*callee_, t, data, entries_[entry], held_);
        if (auto e = memory.prepare(pass); !e.empty()) {
            o = {Event::refused, e, {}, {}, 0};
            return false;
        }
        callee_->control().called = static_cast<std::uint32_t>(entry);
        o = callee_->step(std::max(1u, t.threads));
        if (o.event != Event::ok) return false;
        const int status = callee_->control().status;
        const std::string error = callee_->error();
        if (auto e = memory.intact(); !e.empty()) o = {Event::corrupted, e, {}, {}, o.cpu_seconds};
        else if (auto w = status == ULPGATE_REFUSED ? memory.written() : ""; !w.empty()) o = {Event::corrupted, "refused, and wrote " + w + " all the same", {}, {}, o.cpu_seconds};
        else if (status == ULPGATE_REFUSED) o = {Event::refused, "the kernel refused it", {}, {}, o.cpu_seconds};
        else if (status == ULPGATE_BAD_ARGUMENT) o = {Event::failed, "returned ULPGATE_BAD_ARGUMENT", {}, {}, o.cpu_seconds};
        else if (status != ULPGATE_OK) o = {Event::failed, error.empty() ? fmt::format("returned {}", status) : error, {}, {}, o.cpu_seconds};
        else if (!expected || !memory.equals(expected->out)) o.out = memory.outputs();
        return o.event == Event::ok;
    }

    // Front with one poison, back with the other; where the bits differ, the calls that say why.
    Outcome compare(std::size_t entry, const Tensors& t, bool in_place) {
        Outcome a, b, again, other;
        if (!call(entry, t, {Flush::front, poison_a, in_place}, a)) return a;
        const bool well = call(entry, t, {Flush::back, poison_b, in_place}, b, &a);
        b.cpu_seconds += a.cpu_seconds;
        if (!well) return b;
        a.cpu_seconds = b.cpu_seconds;
        const std::string at = difference(t, a.out, b.out);
        if (at.empty()) return a;  // an element with both poisons differs
        if (!in_place)
            if (auto e = CallMemory::unwritten(t, a.out, poison_a, b.out, poison_b); !e.empty()) return {Event::corrupted, e, {}, {}, a.cpu_seconds};
        if (!call(entry, t, {Flush::front, poison_a, in_place}, again, &a)) return again;
        if (const auto moved = difference(t, a.out, again.out); !moved.empty())
            return {Event::unstable, "same input, other bits, first at " + moved, {}, {}, a.cpu_seconds};
        if (!in_place) {
            if (!call(entry, t, {Flush::front, poison_b, in_place}, other, &a)) return other;
            if (const auto read = difference(t, a.out, other.out); !read.empty())
                return {Event::corrupted, "uses what it must not: the bits depend on what its outputs, its workspace or the bytes past an input held, first at " + read, {}, {}, a.cpu_seconds};
        }
        const std::string by_address = difference(t, a.out, b.out, Nan::any);
        if (by_address.empty()) return a;
        const std::string what = "bits depend on the address, first at " + by_address;
        if (claims(claims_[entry], "align")) return {Event::unstable, what + "; the contract says holds=align", {}, {}, a.cpu_seconds};
        a.findings.push_back(what);
        return a;
    }

    // The contract says that a row's bits depend on no other row: those of a large batch again in one of fewer than 256, where
    // production kernels take another block. Nearly all of them, since a sum in another order shows in few 16-bit rows.
    Outcome fewer_rows(std::size_t entry, const Tensors& t, const Outcome& all) {
        constexpr std::int64_t large = 256;
        if (t.sizes[Dim::rows] < large) return {};
        const std::int64_t few = std::min(t.sizes[Dim::rows] - 1, large - 1);
        const Tensors part = first_rows(t, few);
        Outcome o;
        if (!call(entry, part, t, {Flush::front, poison_a, false, true}, o, &all)) return o;
        for (std::size_t k = 0; k < o.out.size(); ++k) {  // empty: the same
            const auto at = first_other(part.all[k].type, o.out[k], all.out[k], Nan::any);
            if (at < 0) continue;
            return {Event::unstable,
                    fmt::format("bits depend on the batch: {} rows of {} alone give others, first at {}; the contract says holds=batch", few, t.sizes[Dim::rows],
                                place(part.all[k], at)), {}, {}, all.cpu_seconds + o.cpu_seconds};
        }
        return {};
    }

    // b empty: the same. "" or the first place.
    static std::string difference(const Tensors& t, const std::vector<std::vector<std::byte>>& a, const std::vector<std::vector<std::byte>>& b, Nan nan = Nan::bits) {
        if (b.empty()) return "";
        for (std::size_t k = 0; k < t.all.size(); ++k)
            if (const auto at = first_other(t.all[k].type, a[k], b[k], nan); at >= 0) return place(t.all[k], at);
        return "";
    }

    std::string text_, name_, version_, mode_;
    std::unique_ptr<Callee> callee_;
    InputsHeld held_{};
    std::vector<EntryInfo> entries_;
    std::vector<Claim> claims_;
};

}  // namespace

std::unique_ptr<Subject> open_called_subject(std::string text, std::unique_ptr<Callee> callee) {
    return std::make_unique<CalledSubject>(std::move(text), std::move(callee));
}

std::unique_ptr<Subject> open_isolated_subject(std::string text, std::string library, std::string variant, const SubjectOptions& options) {
    std::vector<std::string> command{options.home + "/ulpgate-child", library};
    if (!variant.empty()) command.push_back(std::move(variant));
    return open_called_subject(std::move(text), std::make_unique<ChildProcess>(std::move(command), std::move(library), options));
}

}  // namespace ulpgate
