#include "tools/access/access_rights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace jobstrand::service {

namespace {

constexpr std::array<std::string_view, 4> kRoleNames{"anybody", "read", "worker", "admin"};

}  // namespace

std::string_view name_of(Role role) {
    return kRoleNames.at(static_cast<std::size_t>(role));
}

std::optional<Role> role_named(std::string_view name) {
    const auto* const found = std::ranges::find(kRoleNames, name);
    const auto role = static_cast<Role>(found - kRoleNames.begin());
    return found == kRoleNames.end() || role == Role::anybody ? std::nullopt : std::optional(role);
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
