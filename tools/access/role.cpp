#include "tools/access/role.hpp"

namespace jobstrand::service {

std::string_view name_of(Role role) {
    switch (role) {
        case Role::anybody:
            return "anybody";
        case Role::read:
            return "read";
        case Role::worker:
            return "worker";
        case Role::admin:
            return "admin";
    }
    return "";
}

std::optional<Role> role_named(std::string_view name) {
    for (const Role role : {Role::read, Role::worker, Role::admin}) {
        if (name_of(role) == name) {
            return role;
        }
    }
    return std::nullopt;
}

}  // namespace jobstrand::service
