#include "impls/cuda/launch/images.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "reference/base/file.hpp"

namespace ulpgate::launch {
namespace {

// Layout of a fat binary as nvcc 11 to 13 write it: a header, then entries, each a header and a payload.
constexpr std::uint32_t fatbin_magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;
struct FatHeader {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t bytes;
};
struct EntryHeader {
    std::uint16_t kind, version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;  // padded
    std::uint32_t compressed_bytes, unknown;
    std::uint16_t minor, major;
    std::uint32_t arch, name_offset, name_bytes;
    std::uint64_t flags, zero, decompressed_bytes;
};
static_assert(sizeof(FatHeader) == 16 && sizeof(EntryHeader) == 64);

[[noreturn]] void broken(const std::string& path, const char* what) { throw std::runtime_error(fmt::format("{}: the fat binary is damaged: {}", path, what)); }

// LZ4 block format.
std::string lz4(const std::string& path, std::string_view in, std::size_t size) {
    std::string out;
    std::size_t at = 0;
    const auto byte = [&]() -> std::uint8_t {
        if (at >= in.size()) broken(path, "LZ4 data ends early");
        return static_cast<std::uint8_t>(in[at++]);
    };
    const auto length = [&](std::size_t n) {
        if (n == 15)
            for (std::uint8_t b = 255; b == 255;) n += b = byte();
        return n;
    };
    while (at < in.size() && out.size() < size) {
        const std::uint8_t token = byte();
        const auto literals = length(token >> 4);
        if (literals > in.size() - at || literals > size - out.size()) broken(path, "LZ4 literals beyond the end");
        out.append(in, at, literals);
        at += literals;
        if (at >= in.size() || out.size() >= size) break;
        const std::size_t back = byte() | static_cast<std::size_t>(byte()) << 8;
        auto n = length(token & 15) + 4;
        if (back == 0 || back > out.size() || n > size - out.size()) broken(path, "LZ4 match beyond the beginning");
        for (auto from = out.size() - back; n--; ++from) out.push_back(out[from]);
    }
    if (out.size() != size) broken(path, "LZ4 data has another size");
    return out;
}

// libzstd where the machine has it: nvcc 12.8 and later may compress with it.
std::string zstd(const std::string& path, std::string_view in, std::size_t size) {
    static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
    static const auto decompress = library ? reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress")) : nullptr;
    if (!decompress) throw std::runtime_error(fmt::format("{}: its PTX is compressed with zstd, and libzstd.so.1 is not on this machine: install libzstd1, or compile with -no-compress", path));
    std::string out(size, '\0');
    if (decompress(out.data(), out.size(), in.data(), in.size()) != size) broken(path, "zstd data cannot be read");
    return out;
}

std::string text(std::string s) {
    if (const auto end = s.find('\0'); end != s.npos) s.resize(end);
    return s;
}
std::string target(const std::string& ptx) {
    const auto at = ptx.find(".target");
    const auto from = at == ptx.npos ? at : ptx.find("sm_", at);
    if (from == ptx.npos) return "";
    const auto end = ptx.find_first_of(" ,\n\r\t", from);
    return ptx.substr(from, end - from);
}

void read_entries(const std::string& path, std::string_view data, std::vector<Image>& out) {
    std::size_t at = 0;
    while (at + sizeof(EntryHeader) <= data.size()) {
        EntryHeader e;
        std::memcpy(&e, data.data() + at, sizeof e);
        if (e.header_bytes < sizeof e || e.header_bytes > data.size() - at || e.bytes > data.size() - at - e.header_bytes) broken(path, "an entry beyond the end");
        if (e.kind == kind_ptx) {
            const bool compressed = e.flags & (flag_lz4 | flag_zstd);
            const auto payload = data.substr(at + e.header_bytes, compressed && e.compressed_bytes && e.compressed_bytes <= e.bytes ? e.compressed_bytes : e.bytes);
            if (e.decompressed_bytes > std::size_t{1} << 30) broken(path, "an image of more than 1 GiB");
            std::string ptx = e.flags & flag_zstd ? zstd(path, payload, e.decompressed_bytes)
                              : e.flags & flag_lz4 ? lz4(path, payload, e.decompressed_bytes)
                                                   : std::string(payload);
            ptx = text(std::move(ptx));
            out.push_back({target(ptx), std::move(ptx)});
        }
        at += e.header_bytes + e.bytes;
    }
}

}  // namespace

std::vector<Image> ptx_images(const std::string& path) {
    std::string content;
    if (auto e = read_file(path, content); !e.empty()) throw std::runtime_error(e);
    std::vector<Image> out;
    const bool binary = content.starts_with("\177ELF") || content.find('\0') != content.npos;
    if (!binary) {
        if (content.find(".version") == content.npos) throw std::runtime_error(fmt::format("{}: neither PTX text (no .version) nor a library", path));
        return {{target(content), content}};
    }
    const std::string_view all = content;
    std::uint32_t magic = fatbin_magic;
    const std::string_view mark(reinterpret_cast<const char*>(&magic), sizeof magic);
    for (auto at = all.find(mark); at != all.npos; at = all.find(mark, at + 4)) {
        FatHeader h;
        if (all.size() - at < sizeof h) break;
        std::memcpy(&h, all.data() + at, sizeof h);
        if (h.version != 1 || h.header_bytes < sizeof h || h.bytes > all.size() - at - std::min<std::size_t>(h.header_bytes, all.size() - at)) continue;
        read_entries(path, all.substr(at + h.header_bytes, h.bytes), out);
    }
    if (out.empty()) throw std::runtime_error(fmt::format("{}: holds no PTX: compile with -gencode arch=compute_80,code=compute_80 as well", path));
    return out;
}

Image ptx_image(const std::string& path, const std::string& arch) {
    auto all = ptx_images(path);
    if (arch.empty()) return std::move(all.front());
    // sm_90a and sm_100f name the same device as sm_90 and sm_100, with what only it can do.
    std::string have;
    for (const std::string& wanted : {arch, arch + "a", arch + "f"})
        for (auto& i : all)
            if (i.arch == wanted) return std::move(i);
    for (const auto& i : all) have += (have.empty() ? "" : " ") + i.arch;
    throw std::runtime_error(fmt::format("{}: holds no PTX for {}; it has {}", path, arch, have));
}

}  // namespace ulpgate::launch
