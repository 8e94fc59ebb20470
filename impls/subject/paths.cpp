// Text to subject.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "impls/cuda/launch/call.hpp"
#include "impls/subject/files.hpp"
#include "impls/subject/in_process.hpp"
#include "impls/subject/isolated.hpp"
#include "impls/subject/process.hpp"
#include "reference/base/text.hpp"

namespace ulpgate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view python = "python:";

std::vector<std::string> stems(const std::string& folder) {
    std::vector<std::string> out;
    std::error_code ec;
    for (const auto& e : fs::directory_iterator(folder, ec))
        if (e.path().extension() == ".so") out.push_back(e.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

// scalar is kernels/scalar/scalar.so, avx512_portable is kernels/avx512/avx512_portable.so.
std::string built_in(const std::string& home, std::string_view name) {
    for (const char* folder : {"scalar", "avx2", "avx512"}) {
        const std::string path = fmt::format("{}/kernels/{}/{}.so", home, folder, name);
        if (std::error_code ec; fs::exists(path, ec)) return path;
    }
    return "";
}

// Said at start(): a text that names nothing, or what cannot run here.
class NoSubject final : public Subject {
  public:
    NoSubject(std::string text, Event event, std::string what) : text_(std::move(text)), what_(std::move(what)), event_(event) {}
    const std::string& text() const override { return text_; }
    Outcome start() override { return {event_, what_, {}, {}, 0}; }
    const std::vector<EntryInfo>& entries() const override { return none_; }
    std::string name() const override { return ""; }
    std::string version() const override { return ""; }
    std::string mode() const override { return ""; }
    Outcome run(std::size_t, const Tensors&) override { return start(); }

  private:
    std::string text_, what_;
    Event event_;
    std::vector<EntryInfo> none_;
};

std::string unknown(const std::string& text, const std::string& home) {
    auto known = built_in_subjects(home);
    for (auto& s : byhand_subjects(home)) known.push_back(std::move(s));
    const std::string near = nearest(text, known);
    std::string list;
    for (const auto& s : known) list += (list.empty() ? "" : " ") + s;
    return fmt::format("no subject '{}'{}: give a built-in one ({}), a library with a '/' or .so in its path, a launch description (.toml), model/TEXT, faulty/KIND, files:DIR or python:MODULE:FUNCTION", text,
                       near.empty() ? "" : "; did you mean '" + near + "'?", list);
}

// The package's own program serves the protocol. An interpreter that imports a framework takes seconds to load.
std::unique_ptr<Subject> open_python_subject(std::string text, SubjectOptions o) {
    const char* given = std::getenv("ULPGATE_PYTHON");
    o.cpu_seconds = std::max(o.cpu_seconds, 60.0);
    o.idle_seconds = std::max(o.idle_seconds, 30.0);
    std::vector<std::string> command{given && *given ? given : "python3", "-m", "ulpgate.child", text.substr(python.size())};
    return open_called_subject(std::move(text), std::make_unique<ChildProcess>(std::move(command), "", std::move(o)));
}

}  // namespace

Library library_of(const std::string& text, const SubjectOptions& o) {
    if (text.starts_with("files:")) return {"", "", text + ": outputs in files, no kernel"};
    if (text.starts_with(python)) return {"", "", text + ": a function of another process, no library"};
    if (text.starts_with("model/") || text.starts_with("faulty/")) return {o.home + "/kernels/model/model.so", text, "", true};
    if (text.starts_with("byhand/")) {
        const std::string path = o.home + "/kernels/" + text + ".so";
        if (std::error_code ec; !fs::exists(path, ec)) return {"", "", unknown(text, o.home)};
        return {path, "", "", true};
    }
    const auto at = text.rfind('@');
    const auto slash = text.rfind('/');
    const bool has_variant = at != text.npos && (slash == text.npos || at > slash);
    const std::string path = text.substr(0, has_variant ? at : text.npos), variant = has_variant ? text.substr(at + 1) : "";
    const std::string executor = o.home + "/kernels/cuda/ptx.so";
    if (path == "ptx") return {executor, variant, "", true};
    if (path == "cuda") return {o.home + "/kernels/cuda/cuda.so", variant, "", true};
    if (path.ends_with(".toml")) return {executor, path + (has_variant ? ":" + variant : "")};
    if (path.ends_with(".ptx")) return {"", "", "PTX does not say how it is called: give --launch FILE.toml (--launch-template writes one)"};
    if (slash != text.npos || path.ends_with(".so")) return {path.find('/') == path.npos ? "./" + path : path, variant};
    if (const auto own = built_in(o.home, path); !own.empty()) return {own, variant, "", true};
    return {"", "", unknown(text, o.home)};
}

std::unique_ptr<Subject> open_subject(std::string text, const SubjectOptions& o) {
    if (auto own = o.own ? o.own(text) : nullptr) return own;
    if (text.starts_with(python)) return open_python_subject(std::move(text), o);
    if (text.starts_with("files:")) return open_files_subject(std::move(text));
    const Library l = library_of(text, o);
    if (l.library.empty()) return std::make_unique<NoSubject>(std::move(text), l.event, l.why);
    return open_isolated_subject(std::move(text), l.library, l.variant, o);
}

std::vector<std::string> built_in_subjects(const std::string& home) {
    std::vector<std::string> out;
    for (const char* folder : {"scalar", "avx2", "avx512"})
        for (auto& s : stems(home + "/kernels/" + folder)) out.push_back(std::move(s));
    // Those of the query path come after those of the norms.
    std::stable_partition(out.begin(), out.end(), [](const std::string& s) { return !s.ends_with("_query"); });
    if (std::error_code ec; fs::exists(home + "/kernels/cuda/ptx.so", ec)) out.insert(out.end(), {"ptx", "cuda"});
    return out;
}

std::vector<std::string> members_of(const std::string& text, const std::string& home, const std::vector<std::string>& archs) {
    const bool own = text == "ptx";
    if (!own && !text.ends_with(".toml")) return {text};
    std::vector<std::string> out;
    const std::string path = own ? home + "/kernels/cuda/rmsnorm.toml" : text;
    for (const auto& arch : archs.empty() ? own ? std::vector<std::string>{"sm_80", "sm_90"} : std::vector<std::string>{""} : archs) try {
            for (const auto& m : launch::members(launch::read_description(path, arch), arch)) {
                const auto variant = launch::print(m);
                out.push_back(variant.empty() ? text : text + "@" + variant);
            }
        } catch (const std::exception&) {
            out.push_back(arch.empty() ? text : text + "@" + arch);  // what is wrong shows at start()
        }
    return out;
}

std::vector<std::string> remarks_of(const std::string& text, const std::string& home, const std::vector<std::string>& archs) {
    const bool own = text == "ptx";
    if (!own && !text.ends_with(".toml")) return {};
    const std::string path = own ? home + "/kernels/cuda/rmsnorm.toml" : text, arch = archs.empty() ? "" : archs[0];
    try {
        auto out = launch::remarks(launch::read_description(path, arch), arch);
        for (auto& line : out) line = text + ": " + line;
        return out;
    } catch (const std::exception&) {
        return {};  // said at start()
    }
}

std::vector<std::string> byhand_subjects(const std::string& home) {
    std::vector<std::string> out;
    for (const auto& s : stems(home + "/kernels/byhand")) out.push_back("byhand/" + s);
    return out;
}

}  // namespace ulpgate
