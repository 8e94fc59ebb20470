#include "impls/subject/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "impls/subject/manifest.hpp"
#include "reference/base/safetensors.hpp"

namespace ulpgate {
namespace {

class FilesSubject final : public Subject {
  public:
    explicit FilesSubject(std::string text) : text_(std::move(text)), dir_(text_.substr(text_.find(':') + 1)) {}

    const std::string& text() const override { return text_; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return name_; }
    std::string version() const override { return version_; }
    std::string mode() const override { return ""; }

    Outcome start() override {
        manifest_ = read_manifest(dir_);
        if (!manifest_.error.empty()) return {Event::not_loaded, manifest_.error, {}, {}, 0};
        entries_.clear();
        std::string broken;
        std::set<std::string> seen;  // ops and types whose first outputs were read: what a file says of itself holds for those
        for (const auto& c : manifest_.cases) {
            const std::string path = dir_ + "/" + c.outputs;
            const std::string op = c.line.substr(0, c.line.find('/')), which = op + " " + c.types;
            if (std::error_code ec; seen.contains(which) || !std::filesystem::exists(path, ec)) continue;
            const auto out = read_safetensors(path);
            if (!out.error.empty()) {  // said when its case runs; another file may serve
                broken = out.error;
                continue;
            }
            const auto said = [&](const char* key, const std::string& otherwise) {
                const auto it = out.metadata.find(key);
                return it == out.metadata.end() || it->second.empty() ? otherwise : it->second;
            };
            if (seen.empty()) {
                name_ = said("name", "");
                version_ = said("version", "");
            }
            seen.insert(which);
            EntryInfo e;
            e.contract = said("contract", c.types);
            if (const Op* o = find_op(op)) e.abi = o->abi;
            entries_.push_back(std::move(e));
        }
        if (seen.empty() && !broken.empty()) return {Event::not_loaded, broken, {}, {}, 0};
        if (seen.empty())
            return {Event::not_loaded,
                    fmt::format("{}: no outputs yet: none of {} files such as {} is there", dir_, manifest_.cases.size(),
                                manifest_.cases.empty() ? "out/000.safetensors" : manifest_.cases[0].outputs),
                    {}, {}, 0};
        return {};
    }

    std::vector<std::string> cases() const override {
        std::vector<std::string> lines;
        for (const auto& c : manifest_.cases) lines.push_back(c.line);
        return lines;
    }

    Outcome run(std::size_t, const Tensors& t) override {
        const auto h = t.hash();
        const auto c = std::find_if(manifest_.cases.begin(), manifest_.cases.end(), [&](const auto& k) { return k.hash == h; });
        if (c == manifest_.cases.end()) return {Event::refused, "no output for this input in " + dir_, {}, {}, 0};
        const std::string path = dir_ + "/" + c->outputs;
        if (std::error_code ec; !std::filesystem::exists(path, ec)) return {Event::refused, path + " is not there", {}, {}, 0};
        const auto file = read_safetensors(path);
        if (!file.error.empty()) return {Event::failed, file.error, {}, {}, 0};
        Outcome o;
        o.out.resize(t.all.size());
        for (std::size_t k = 0; k < t.all.size(); ++k) {
            const Tensor& v = t.all[k];
            if (v.spec->input()) continue;
            if (auto e = take(file, v, o.out[k]); !e.empty()) return {Event::failed, path + ": " + e, {}, {}, 0};
        }
        return o;
    }

  private:
    static std::string take(const SafeTensors& file, const Tensor& v, std::vector<std::byte>& out) {
        const auto* s = file.find(v.spec->name);
        if (!s) return fmt::format("no tensor '{}'", v.spec->name);
        if (s->type != v.type)
            return fmt::format("'{}' is {}, the contract says {}: give --contract with y={}", s->name, s->dtype, name_of(v.type),
                               s->type == Type::none ? "TYPE" : std::string(name_of(s->type)));
        if (s->count() != v.count()) return fmt::format("'{}' has {} elements, the case has {}", s->name, s->count(), v.count());
        out.assign(file.bytes_of(*s), file.bytes_of(*s) + (s->end - s->begin));
        return "";
    }
    static std::string_view name_of(Type t) { return ulpgate::name(t); }

    std::string text_, dir_, name_, version_;
    Manifest manifest_;
    std::vector<EntryInfo> entries_;
};

}  // namespace

std::unique_ptr<Subject> open_files_subject(std::string text) { return std::make_unique<FilesSubject>(std::move(text)); }

}  // namespace ulpgate
