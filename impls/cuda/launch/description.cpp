#include "impls/cuda/launch/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/base/file.hpp"
#include "reference/toml/document.hpp"

namespace ulpgate::launch {
namespace {

using Kind = TomlValue::Kind;

class Read {
  public:
    explicit Read(const std::string& path) : path_(path) {}

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
    KernelLaunch launch(const TomlValue& t) const {
        only(t, {"kernel", "when", "grid", "block", "shared", "params"});
        KernelLaunch l{text(t, "kernel", nullptr), text(t, "when", "1"), text(t, "shared", "0"), extent(t, "grid"), extent(t, "block"), {}, t.line};
        const auto* params = t.find("params");
        if (!params) wrong(t.line, "'params' is missing");
        for (const auto& p : array(*params, "params")) l.params.push_back(param(p));
        return l;
    }
    Entry entry(const TomlValue& t) const {
        only(t, {"op", "contract", "requires", "align", "launch", "buffer"});
        Entry e;
        e.line = t.line;
        e.op = text(t, "op", "rmsnorm");
        if (e.op != "rmsnorm") wrong(t.line, fmt::format("op '{}' cannot be launched: rmsnorm can", e.op));
        e.contract = text(t, "contract", nullptr);
        if (const auto* a = t.find("align")) {
            if (a->kind != Kind::integer || a->integer < 1 || a->integer > 4096 || (a->integer & (a->integer - 1))) wrong(a->line, "align is a power of two up to 4096");
            e.align = static_cast<std::uint32_t>(a->integer);
        }
        if (const auto* r = t.find("requires"))
            for (const auto& v : array(*r, "requires")) e.requirements.push_back(expression(v, "requires"));
        const auto* launches = t.find("launch");
        if (!launches) wrong(t.line, "an entry needs [[entry.launch]]");
        for (const auto& v : array(*launches, "launch")) e.launches.push_back(launch(v));
        if (const auto* buffers = t.find("buffer"))
            for (const auto& v : array(*buffers, "buffer")) {
                only(v, {"name", "bytes"});
                e.buffers.push_back({text(v, "name", nullptr), text(v, "bytes", nullptr)});
            }
        return e;
    }

  private:
    const std::string& path_;
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
    const Read read(path);
    const auto& root = document.root;
    read.only(root, {"schema", "module", "name", "entry"});
    if (const auto schema = read.text(root, "schema", nullptr); schema != "ulpgate.launch/1")
        read.wrong(root.line, fmt::format("schema '{}' is not ulpgate.launch/1", schema));
    Description d;
    d.path = path;
    d.module = read.text(root, "module", nullptr);
    for (std::size_t at; (at = d.module.find("ARCH")) != d.module.npos;) d.module.replace(at, 4, arch.empty() ? "sm_80" : arch);
    if (d.module.empty() || d.module[0] != '/')
        if (const auto slash = path.rfind('/'); slash != path.npos) d.module = path.substr(0, slash + 1) + d.module;
    d.name = read.text(root, "name", "");
    const auto* entries = root.find("entry");
    if (!entries) read.wrong(root.line, "no [[entry]]");
    for (const auto& e : read.array(*entries, "entry")) d.entries.push_back(read.entry(e));
    return d;
}

}  // namespace ulpgate::launch
