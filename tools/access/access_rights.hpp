#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// What a caller may do; each may what those before it may.
enum class Role : std::uint8_t {
    anybody,  ///< Asks whether the service lives.
    read,     ///< Looks at everything, changes nothing.
    worker,   ///< Enqueues jobs.
    admin,    ///< What an operator does.
};

[[nodiscard]] constexpr bool may(Role caller, Role needed) {
    return caller >= needed;
}

/// `read`, `worker`, `admin`.
[[nodiscard]] std::string_view name_of(Role role);

/// nullopt: no token has a role of this name.
[[nodiscard]] std::optional<Role> role_named(std::string_view name);

/// To which jobs and engines a token is restricted. An empty list restricts nothing.
struct Scope {
    std::vector<std::string> topics = {};   ///< Handler types; `invoice.*` for all that begin so.
    std::vector<std::string> tenants = {};  ///< By their ids.
    std::vector<std::string> engines = {};  ///< By their names.
    std::vector<std::string> hidden = {};   ///< Members of payloads whose values are not shown.

    [[nodiscard]] bool serves(std::string_view topic) const;
    [[nodiscard]] bool sees(std::string_view tenant) const;
    [[nodiscard]] bool enters(std::string_view engine) const;

    /// Whether there may be jobs that it leaves out.
    [[nodiscard]] bool is_narrow() const { return !topics.empty() || !tenants.empty(); }

    /// Whether jobs are shown otherwise than they are, or not at all.
    [[nodiscard]] bool is_restricted() const { return is_narrow() || !hidden.empty(); }

    /// Throws OutOfScope, which names the topic or tenant, for a job that is left out.
    void require(std::string_view topic, std::string_view tenant) const;
    void require_topic(std::string_view topic) const;
    void require_tenant(std::string_view tenant) const;

    bool operator==(const Scope&) const = default;
};

/// What a request asks for is left out by the scope of its token. Its text says so, for the caller.
class OutOfScope final : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// The name of an engine that the configuration file gives none.
inline constexpr std::string_view kFirstEngine = "main";

/// The end of a topic that stands for all that begin as it does.
inline constexpr char kAnyEnd = '*';

}  // namespace jobstrand::service
