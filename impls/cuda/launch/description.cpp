#include "impls/cuda/launch/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/base/file.hpp"
#include "reference/base/text.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate::launch {
namespace {

using Kind = TomlValue::Kind;

class Read {
  public:
    Read(const std::string& path, const std::string& arch) : path_(path), arch_(arch) {}

    [[noreturn]] void wrong(int line, const std::string& what) const { throw std::runtime_error(fmt::format("{}:{}: {}", path_, line, what)); }

    void only(const TomlValue& t, std::initializer_list<std::string_view> keys) const {
        for (std::size_t k = 0; k < t.keys.size(); ++k) {
            if (std::find(keys.begin(), keys.end(), t.keys[k]) != keys.end()) continue;
            std::string list;
            for (const auto key : keys) list += (list.empty() ? "" : ", ") + std::string(key);
            wrong(t.values[k].line, fmt::format("no key '{}' here: there are {}", t.keys[k], list));
        }
    }
    std::string text(const TomlValue& t, std::string_view key, const char* fallback) const {
        const auto* v = t.find(key);
        if (!v && fallback) return fallback;
        if (!v) wrong(t.line, fmt::format("'{}' is missing", key));
        return expression(*v, key);
    }
    // A string, or an integer as one.
    std::string expression(const TomlValue& v, std::string_view key) const {
        if (v.kind == Kind::string) return v.text;
        if (v.kind == Kind::integer) return std::to_string(v.integer);
        if (v.kind == Kind::real) return v.text;
        wrong(v.line, fmt::format("'{}' is a {}, a string is needed", key, name(v.kind)));
    }
    const std::vector<TomlValue>& array(const TomlValue& v, std::string_view key) const {
        if (v.kind != Kind::array) wrong(v.line, fmt::format("'{}' is a {}, an array is needed", key, name(v.kind)));
        return v.array;
    }
    std::vector<std::string> extent(const TomlValue& t, std::string_view key) const {
        const auto* v = t.find(key);
        if (!v) wrong(t.line, fmt::format("'{}' is missing", key));
        std::vector<std::string> out;
        if (v->kind == Kind::array)
            for (const auto& e : v->array) out.push_back(expression(e, key));
        else out.push_back(expression(*v, key));
        if (out.empty() || out.size() > 3) wrong(v->line, fmt::format("'{}' has one to three values", key));
        out.resize(3, "1");
        return out;
    }
    Param param(const TomlValue& v) const {
        const auto& pair = array(v, "params");
        if (pair.size() != 2) wrong(v.line, "a parameter is [TYPE, VALUE], as [\"ptr\", \"x\"]");
        Param p{expression(pair[0], "params"), expression(pair[1], "params")};
        const std::initializer_list<std::string_view> types{"ptr", "i8", "i32", "i64", "f32", "f64"};
        if (std::find(types.begin(), types.end(), p.type) == types.end()) wrong(v.line, fmt::format("no parameter type '{}': ptr, i8, i32, i64, f32, f64", p.type));
        return p;
    }
    KernelLaunch launch(const TomlValue& t, bool shared = false) const {
        if (shared) only(t, {"id", "kernel", "when", "grid", "block", "shared", "params"});
        else only(t, {"kernel", "when", "grid", "block", "shared", "params"});
        KernelLaunch l{"", shared ? text(t, "id", nullptr) : "", text(t, "kernel", nullptr), text(t, "when", "1"), text(t, "shared", "0"), extent(t, "grid"), extent(t, "block"), {}, t.line};
        const auto* params = t.find("params");
        if (!params) wrong(t.line, "'params' is missing");
        for (const auto& p : array(*params, "params")) l.params.push_back(param(p));
        return l;
    }
    Buffer buffer(const TomlValue& v) const {
        only(v, {"name", "bytes"});
        return {text(v, "name", nullptr), text(v, "bytes", nullptr)};
    }
    // What entries share; what a file includes comes first, and one of its own with the same id replaces it.
    void shared(const TomlValue& root) {
        if (const auto* all = root.find("launch"))
            for (const auto& v : array(*all, "launch")) {
                KernelLaunch l = launch(v, true);
                const auto old = std::find_if(launches_.begin(), launches_.end(), [&](const KernelLaunch& o) { return o.id == l.id; });
                if (old == launches_.end()) launches_.push_back(std::move(l));
                else if (!old->path.empty()) *old = std::move(l);
                else wrong(v.line, fmt::format("two launches have the id '{}'", l.id));
            }
        if (const auto* all = root.find("buffer"))
            for (const auto& v : array(*all, "buffer")) buffers_.push_back(buffer(v));
    }
    void include(const TomlValue& root) {
        const auto* v = root.find("include");
        if (!v) return;
        const auto slash = path_.rfind('/');
        const std::string path = (slash == path_.npos ? "" : path_.substr(0, slash + 1)) + expression(*v, "include");
        std::string content;
        if (const auto e = read_file(path, content, std::size_t{16} << 20); !e.empty()) wrong(v->line, e);
        const auto document = parse_toml(content, path);
        if (!document.error.empty()) throw std::runtime_error(document.error);
        Read other(path, arch_);
        other.only(document.root, {"schema", "launch", "buffer"});
        other.shared(document.root);
        launches_ = std::move(other.launches_);
        buffers_ = std::move(other.buffers_);
        for (auto& l : launches_) l.path = path;
    }
    Entry entry(const TomlValue& t) const {
        only(t, {"op", "contract", "requires", "columns", "align", "use", "launch", "buffer"});
        Entry e;
        e.line = t.line;
        e.op = text(t, "op", "rmsnorm");
        if (e.op != "rmsnorm" && e.op != "mla_query" && e.op != "linear") wrong(t.line, fmt::format("op '{}' cannot be launched: rmsnorm, mla_query and linear can", e.op));
        e.contract = text(t, "contract", nullptr);
        for (std::size_t at; (at = e.contract.find("CORE")) != e.contract.npos;) e.contract.replace(at, 4, core(t.line));
        if (const auto c = text(t, "columns", "adjacent"); c == "strided") e.any_columns = true;
        else if (c != "adjacent") wrong(t.line, fmt::format("columns '{}': adjacent or strided", c));
        if (const auto* a = t.find("align")) {
            if (a->kind != Kind::integer || a->integer < 1 || a->integer > 4096 || (a->integer & (a->integer - 1))) wrong(a->line, "align is a power of two up to 4096");
            e.align = static_cast<std::uint32_t>(a->integer);
        }
        if (const auto* r = t.find("requires"))
            for (const auto& v : array(*r, "requires")) e.requirements.push_back(expression(v, "requires"));
        if (const auto* use = t.find("use"))
            for (const auto& v : array(*use, "use")) e.launches.push_back(used(v));
        const auto* launches = t.find("launch");
        if (!launches && e.launches.empty()) wrong(t.line, "an entry needs [[entry.launch]], or use = [...] of the file's [[launch]]");
        if (launches)
            for (const auto& v : array(*launches, "launch")) e.launches.push_back(launch(v));
        const auto type = e.contract.substr(0, e.contract.find(','));
        for (auto& l : e.launches)
            for (std::size_t at; (at = l.kernel.find("TYPE")) != l.kernel.npos;) l.kernel.replace(at, 4, type);
        if (const auto* buffers = t.find("buffer"))
            for (const auto& v : array(*buffers, "buffer")) e.buffers.push_back(buffer(v));
        for (const auto& b : buffers_)
            if (std::any_of(e.launches.begin(), e.launches.end(), [&](const KernelLaunch& l) { return std::any_of(l.params.begin(), l.params.end(), [&](const Param& p) { return p.type == "ptr" && p.value == b.name; }); }))
                e.buffers.push_back(b);
        return e;
    }

  private:
    const KernelLaunch& used(const TomlValue& v) const {
        const auto id = expression(v, "use");
        std::vector<std::string> ids;
        for (const auto& l : launches_) {
            if (l.id == id) return l;
            ids.push_back(l.id);
        }
        const auto near = nearest(id, ids);
        wrong(v.line, fmt::format("no [[launch]] '{}'{}", id, near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    // As reference/tensor_core names it.
    std::string core(int line) const {
        if (arch_.starts_with("sm_8")) return "mma:8x24";
        if (arch_.starts_with("sm_9") || arch_.starts_with("sm_10")) return "mma:16x25";
        wrong(line, fmt::format("CORE: the tensor core of '{}' has no model: sm_8x, sm_9x and sm_10x have", arch_));
    }
    const std::string &path_, &arch_;
    std::vector<KernelLaunch> launches_;
    std::vector<Buffer> buffers_;
};

}  // namespace

Description read_description(const std::string& path, const std::string& arch) {
    std::string content;
    if (const auto e = read_file(path, content, std::size_t{16} << 20); !e.empty()) throw std::runtime_error(e);
    return parse_description(content, path, arch);
}

Description parse_description(std::string_view content, const std::string& path, const std::string& arch) {
    const auto document = parse_toml(content, path);
    if (!document.error.empty()) throw std::runtime_error(document.error);
    const std::string target = arch.empty() ? "sm_80" : arch;
    Read read(path, target);
    const auto& root = document.root;
    read.only(root, {"schema", "module", "name", "include", "launch", "buffer", "entry"});
    if (const auto schema = read.text(root, "schema", nullptr); schema != "ulpgate.launch/1")
        read.wrong(root.line, fmt::format("schema '{}' is not ulpgate.launch/1", schema));
    Description d;
    d.path = path;
    d.module = read.text(root, "module", nullptr);
    for (std::size_t at; (at = d.module.find("ARCH")) != d.module.npos;) d.module.replace(at, 4, target);
    if (d.module.empty() || d.module[0] != '/')
        if (const auto slash = path.rfind('/'); slash != path.npos) d.module = path.substr(0, slash + 1) + d.module;
    d.name = read.text(root, "name", "");
    read.include(root);
    read.shared(root);
    const auto* entries = root.find("entry");
    if (!entries) read.wrong(root.line, "no [[entry]]");
    for (const auto& e : read.array(*entries, "entry")) d.entries.push_back(read.entry(e));
    return d;
}

}  // namespace ulpgate::launch
