#include "properties/cases/activations.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "reference/base/hexfloat.hpp"
#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

std::mutex folder_lock;
std::string folder;  // "": beside the program

std::string resolve(const std::string& path) {
    std::error_code ec;
    if (path.find('/') != path.npos || std::filesystem::exists(path, ec)) return path;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
    const std::lock_guard hold(folder_lock);
    const auto beside = (folder.empty() ? self.parent_path() / "activations" : std::filesystem::path(folder)) / path;
    return !ec && std::filesystem::exists(beside, ec) ? beside.string() : path;
}

// A gate makes dozens of cases from one file: the last one read is kept while it stays the same file.
std::shared_ptr<const SafeTensors> read(const std::string& path) {
    static std::mutex lock;
    static struct stat last;
    static std::shared_ptr<const SafeTensors> file;
    const std::lock_guard hold(lock);
    struct stat now{};
    const bool there = ::stat(path.c_str(), &now) == 0;
    if (there && file && file->error.empty() && now.st_dev == last.st_dev && now.st_ino == last.st_ino &&
        now.st_size == last.st_size && now.st_mtim.tv_sec == last.st_mtim.tv_sec && now.st_mtim.tv_nsec == last.st_mtim.tv_nsec)
        return file;
    file = std::make_shared<const SafeTensors>(read_safetensors(path));
    last = now;
    return file;
}

// "blk.0.attn" of "blk.0.attn.x", "" of "x"; nothing of any other tensor.
std::optional<std::string> norm_of(std::string_view tensor) {
    if (tensor == "x") return "";
    if (tensor.size() > 2 && tensor.ends_with(".x")) return std::string(tensor.substr(0, tensor.size() - 2));
    return {};
}

std::string tensor_of(const std::string& norm, char what) { return norm.empty() ? std::string(1, what) : norm + '.' + what; }

std::vector<std::string> norms(const SafeTensors& file) {
    std::vector<std::string> out;
    for (const auto& t : file.tensors)
        if (auto n = norm_of(t.name)) out.push_back(*n);
    return out;
}

std::string listed(const std::vector<std::string>& names) {
    std::string s;
    for (std::size_t k = 0; k < names.size() && k < 8; ++k) s += (k ? ", " : "") + names[k];
    return names.size() > 8 ? s + fmt::format(" and {} more", names.size() - 8) : s;
}

bool floating(Type t) { return t == Type::bf16 || t == Type::fp16 || t == Type::f32 || t == Type::e4m3; }

struct Found {
    std::string error, path, name;
    std::shared_ptr<const SafeTensors> file;
};

Found find(const std::string& text) {
    Found f;
    // A norm's name holds no '/': an '@' in a folder's name is not its mark.
    const auto slash = text.rfind('/'), at = text.rfind('@');
    const bool named = at != text.npos && (slash == text.npos || at > slash);
    f.path = resolve(text.substr(0, named ? at : text.npos));
    f.file = read(f.path);
    if (!f.file->error.empty()) f.error = f.file->error;
    if (!f.error.empty()) return f;
    const auto names = norms(*f.file);
    if (names.empty())
        f.error = fmt::format("{}: no activations: it needs tensors NAME.x [rows, d] (and NAME.w [d]), or x and w", f.path);
    else if (named)
        f.name = text.substr(at + 1);
    else if (names.size() == 1)
        f.name = names[0];
    else
        f.error = fmt::format("{}: holds {} norms: name one, as {}@{}", f.path, names.size(), f.path, names[0]);
    if (f.error.empty() && std::find(names.begin(), names.end(), f.name) == names.end())
        f.error = fmt::format("{}: no norm '{}'; it holds {}", f.path, f.name, listed(names));
    return f;
}

std::string read_values(const Found& f, const StoredTensor& t, std::vector<float>& out) {
    if (!floating(t.type)) return fmt::format("{}: {} is {}; store it as BF16, F16 or F32", f.path, t.name, t.dtype);
    out.resize(static_cast<std::size_t>(t.count()));
    unpack(t.type, f.file->bytes_of(t), out);
    return "";
}

std::optional<double> eps_of(const SafeTensors& file) {
    const auto it = file.metadata.find("eps");
    return it == file.metadata.end() ? std::nullopt : read_float(it->second);
}

}  // namespace

void look_for_activations_in(std::string f) {
    const std::lock_guard hold(folder_lock);
    folder = std::move(f);
}

Activations load_activations(const std::string& text) {
    Activations a;
    const Found f = find(text);
    if (a.error = f.error; !a.error.empty()) return a;
    const StoredTensor& x = *f.file->find(tensor_of(f.name, 'x'));
    if (x.shape.empty() || x.count() == 0) a.error = fmt::format("{}: {} is empty; it should be [rows, d]", f.path, x.name);
    if (a.error.empty()) a.error = read_values(f, x, a.x);
    if (!a.error.empty()) return a;
    a.type = x.type;
    a.d = x.shape.back();
    a.rows = x.count() / a.d;
    a.eps = eps_of(*f.file);
    if (const auto* w = f.file->find(tensor_of(f.name, 'w'))) {
        if (w->count() != a.d) a.error = fmt::format("{}: {} has {} values, {} has {} columns", f.path, w->name, w->count(), x.name, a.d);
        else a.error = read_values(f, *w, a.w);
    }
    if (const auto it = f.file->metadata.find("eps"); a.error.empty() && it != f.file->metadata.end() && !(a.eps && *a.eps >= 0))
        a.error = fmt::format("{}: metadata eps '{}' is not a number >= 0", f.path, it->second);
    return a;
}

ActivationCases activation_cases(const std::string& path, std::string_view op, const Claim& claim, std::int64_t d) {
    ActivationCases out;
    const auto file = read(resolve(path));
    if (out.error = file->error; !out.error.empty()) return out;
    const auto names = norms(*file);
    if (names.empty())
        out.error = fmt::format("{}: no activations: it needs tensors NAME.x [rows, d] (and NAME.w [d]), or x and w", path);
    for (const auto& name : names) {
        const std::string text = name.empty() ? path : path + "@" + name;
        const Activations a = load_activations(text);
        if (out.error = a.error; !out.error.empty()) return out;
        if (d && a.d != d) continue;
        Case c;
        c.op = op;
        c.claim = claim;
        c.d = a.d;
        c.tokens = a.rows;
        if (a.eps) c.eps = *a.eps;
        if (a.w.empty()) c.gain = "ones";
        c.file = text;
        out.cases.push_back(std::move(c));
    }
    if (out.error.empty() && out.cases.empty()) out.error = fmt::format("{}: no norm has d = {}", path, d);
    return out;
}

}  // namespace ulpgate
