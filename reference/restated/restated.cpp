#include "reference/restated/restated.hpp"

namespace ulpgate {
namespace {

constexpr std::int64_t usual_width = 7168;

std::string joined(std::string text, std::string_view more) {
    if (!text.empty() && !more.empty()) text += ",";
    return text += more;
}

}  // namespace

std::string model_text(const Restatement& r, const Contract& entry, std::int64_t d) {
    const auto text = joined(print(entry), r.model);
    return r.order ? joined(text, "order=" + r.order(entry, d ? d : usual_width)) : text;
}

std::string model_text(const Restatement& r) {
    Claim c;
    if (r.order && !parse(r.contract, c)) return model_text(r, c[0]);
    return joined(std::string(r.contract), r.model);
}

const Restatement* find_restatement(std::string_view name) {
    for (const Restatement* r : restated::all())
        if (r->name == name) return r;
    return nullptr;
}

}  // namespace ulpgate
