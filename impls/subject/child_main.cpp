// ulpgate-child LIBRARY [VARIANT]: loads one subject and calls it.
#include <dlfcn.h>

#include <cstdio>

#include "impls/subject/child.hpp"

using namespace ulpgate::child;

namespace {

Loaded load(const char* library, const char* variant) {
    const auto no = [](std::string why) { return Loaded{nullptr, std::move(why)}; };
    void* lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!lib) return no(dlerror());
    const auto describe = reinterpret_cast<const ulpgate_descriptor* (*)(const char*)>(dlsym(lib, "ulpgate_describe"));
    if (!describe) return no("no symbol ulpgate_describe: export it as `ulpgate new rmsnorm.c` shows (extern \"C\", default visibility)");
    const ulpgate_descriptor* d = describe(variant);
    const auto why = reinterpret_cast<const char* (*)()>(dlsym(lib, "ulpgate_why"));
    if (const char* said = !d && why ? why() : nullptr) return no(said);
    if (!d && variant) return no(std::string("no variant '") + variant + "'");
    if (!d) return no("ulpgate_describe(NULL) returned NULL: it needs a variant, as PATH@VARIANT");
    return {d, "", why};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("ulpgate-child: run by ulpgate, not by hand\n", stderr);
        return 2;
    }
    return serve([&] { return load(argv[1], argc > 2 ? argv[2] : nullptr); });
}
