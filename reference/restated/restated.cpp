#include "reference/restated/restated.hpp"

namespace ulpgate {
namespace {

std::string joined(std::string text, std::string_view more) {
    if (!text.empty() && !more.empty()) text += ",";
    return text += more;
}

}  // namespace

std::string model_text(const Restatement& r, const Contract& entry) { return joined(print(entry), r.model); }

std::string model_text(const Restatement& r) { return joined(std::string(r.contract), r.model); }

const Restatement* find_restatement(std::string_view name) {
    for (const Restatement* r : restated::all())
        if (r->name == name) return r;
    return nullptr;
}

}  // namespace ulpgate
