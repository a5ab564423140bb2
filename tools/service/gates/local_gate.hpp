#pragma once

#include "tools/service/http/gate.hpp"

#include <optional>
#include <string>

namespace jobstrand::service {

/// Lets in everybody on this machine, but no page of others that a browser on it shows: the Host
/// must be a name of this machine (a page's own name that its server has pointed at 127.0.0.1 is
/// none: DNS rebinding), and see is_from_another_page().
class LocalGate final : public Gate {
public:
    [[nodiscard]] std::optional<Response> refusal(const Request& request, Role needed) override;

    /// Nobody has to say who it is.
    [[nodiscard]] Visitor visitor(const Request& /*request*/) const override {
        return {.name = "local", .role = Role::admin};
    }
};

}  // namespace jobstrand::service
