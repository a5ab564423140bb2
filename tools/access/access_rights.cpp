#include "tools/access/access_rights.hpp"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

[[nodiscard]] bool is_in(const std::vector<std::string>& list, std::string_view name) {
    return list.empty() || std::ranges::find(list, name) != list.end();
}

[[nodiscard]] bool is_meant(std::string_view pattern, std::string_view topic) {
    return pattern.ends_with(kAnyEnd) ? topic.starts_with(pattern.substr(0, pattern.size() - 1))
                                      : topic == pattern;
}

}  // namespace

bool Scope::serves(std::string_view topic) const {
    return topics.empty() || std::ranges::any_of(topics, [topic](std::string_view pattern) {
               return is_meant(pattern, topic);
           });
}

bool Scope::sees(std::string_view tenant) const {
    return is_in(tenants, tenant);
}

bool Scope::enters(std::string_view engine) const {
    return is_in(engines, engine);
}

void Scope::require(std::string_view topic, std::string_view tenant) const {
    require_topic(topic);
    require_tenant(tenant);
}

void Scope::require_topic(std::string_view topic) const {
    if (!serves(topic)) {
        throw OutOfScope(fmt::format("this token is not for the topic \"{}\"", topic));
    }
}

void Scope::require_tenant(std::string_view tenant) const {
    if (!sees(tenant)) {
        throw OutOfScope(
            tenant.empty() ? "this token is for some tenants only: name one of them"
                           : fmt::format("this token is not for the tenant \"{}\"", tenant)
        );
    }
}

}  // namespace jobstrand::service
