#pragma once

#include "tools/access/role.hpp"
#include "tools/service/http/message.hpp"

#include <optional>
#include <string>

namespace jobstrand::service {

/// Who lets requests in, before their bodies are read.
///
/// Called on the thread that serves sockets, so it must not block.
class Gate {
public:
    virtual ~Gate() = default;

    /// nullopt: the request may go on; else what to answer.
    [[nodiscard]] virtual std::optional<Response> refusal(const Request& request, Role needed) = 0;

    /// Who asks, as the audit names it, of a request that may go on.
    [[nodiscard]] virtual std::string caller(const Request& request) const = 0;

    /// To what who asks is restricted, of a request that may go on.
    [[nodiscard]] virtual Scope scope(const Request& /*request*/) const { return {}; }
};

}  // namespace jobstrand::service
