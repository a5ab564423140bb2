#pragma once

#include "tools/access/access_rights.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/server_limits.hpp"

#include <cstdint>
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

/// The head of a request, as the parser has read it.
struct RequestHead {
    const Request& request;
    unsigned version = 11;           ///< HTTP/1.1.
    bool has_folded_length = false;  ///< Or a folded transfer coding.
};

/// What stands behind a head.
struct AnnouncedBody {
    bool is_there = false;
    std::optional<std::uint64_t> length = {};  ///< nullopt: it comes in chunks.
};

/// What becomes of a request whose head has been read.
struct Admission {
    std::optional<Response> refusal = {};
    bool must_close = false;  ///< After the refusal: nobody knows where the next request begins.

    // Without a refusal.
    RouteMatch match = {};
    BodyBudget::Share body_share = {};
};

/// Decides before the body is read whether it should be: the head is one that nobody reads
/// otherwise, there is such a path, the gate lets the caller through, and the body is of a kind and
/// length that the path takes.
class Admissions final {
public:
    /// All of it must outlive this object.
    Admissions(const Router& router, Gate& gate, const ServerLimits& limits, BodyBudget& bodies)
        : router_(router), gate_(gate), limits_(limits), bodies_(bodies) {}

    [[nodiscard]] Admission decide(const RequestHead& head, const AnnouncedBody& body) const;

    /// What the gate says by now to who asked for this, when an answer took long or goes on.
    [[nodiscard]] std::optional<Response> refusal_by_now(const Request& request, const Route& route)
        const {
        return gate_.refusal(request, route.role);
    }

private:
    [[nodiscard]] std::optional<Response>
    refuse_body(const Request& request, const AnnouncedBody& body, Admission& admission) const;

    const Router& router_;
    Gate& gate_;
    const ServerLimits& limits_;
    BodyBudget& bodies_;
};

}  // namespace jobstrand::service
