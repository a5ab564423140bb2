#pragma once

#include "tools/access/role.hpp"
#include "tools/service/http/message.hpp"

#include <optional>
#include <string>

namespace jobstrand::service {

/// Who asks, and what it may.
struct Visitor {
    std::string name = {};  ///< As the audit names it.
    Role role = Role::anybody;
    Scope scope = {};
    bool has_signed_in = false;  ///< A browser, by the cookie of a session.
};

/// Who lets requests in, before their bodies are read.
///
/// Called on the thread that serves sockets, so it must not block.
class Gate {
public:
    virtual ~Gate() = default;

    /// nullopt: the request may go on; else what to answer.
    [[nodiscard]] virtual std::optional<Response> refusal(const Request& request, Role needed) = 0;

    /// Who asks, of a request that may go on.
    [[nodiscard]] virtual Visitor visitor(const Request& request) const = 0;
};

}  // namespace jobstrand::service
