#include "properties/profiles/profile.hpp"

namespace ulpgate {

const Profile* find_profile(std::string_view name) {
    for (const Profile* p : profiles::all())
        if (p->name == name) return p;
    return nullptr;
}

}  // namespace ulpgate
