#include "fuzz/chosen/chosen.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fuzz/check/check.hpp"
#include "impls/subject/in_process.hpp"

namespace ulpgate::fuzzing {

Outcome ChosenKernel::run(const Claim& claim, const Tensors& tensors) const {
    const auto at = static_cast<std::size_t>(std::find(claims.begin(), claims.end(), claim) - claims.begin());
    return subject->run(entries.at(at), tensors);
}

const ChosenKernel* chosen_kernel(Abi abi, const char* what) {
    static const std::unique_ptr<ChosenKernel> kernel = [&]() -> std::unique_ptr<ChosenKernel> {
        const char* text = std::getenv("ULPGATE_SUBJECT");
        if (!text || !*text) return nullptr;
        SubjectOptions options;
        const char* home = std::getenv("ULPGATE_HOME");
        options.home = home ? home : std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
        auto k = std::make_unique<ChosenKernel>();
        k->subject = open_in_process(text, options);
        const Outcome started = k->subject->start();
        check(started.event == Event::ok, "ULPGATE_SUBJECT={}: {}", text, started.what);
        for (std::size_t e = 0; e < k->subject->entries().size(); ++e) {
            Claim c;
            if (k->subject->entries()[e].abi != abi || parse(k->subject->entries()[e].contract, c)) continue;
            k->claims.push_back(std::move(c));
            k->entries.push_back(e);
        }
        check(!k->claims.empty(), "ULPGATE_SUBJECT={}: no {} entry", text, what);
        return k;
    }();
    return kernel.get();
}

std::span<const Claim> claims_of(const ChosenKernel* k) { return k ? std::span<const Claim>(k->claims) : std::span<const Claim>{}; }

}  // namespace ulpgate::fuzzing
