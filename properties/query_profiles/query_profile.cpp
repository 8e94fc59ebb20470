#include "properties/query_profiles/query_profile.hpp"

namespace ulpgate {

const QueryProfile* find_query_profile(std::string_view name) {
    for (const QueryProfile* p : query_profiles::all())
        if (p->name == name) return p;
    return nullptr;
}

}  // namespace ulpgate
