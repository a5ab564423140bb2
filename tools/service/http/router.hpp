#pragma once

#include "tools/access/access_rights.hpp"
#include "tools/service/http/message.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jobstrand::service {

/// Takes the response to a request. Called once, from any thread.
using Answer = std::function<void(Response)>;

/// Called on the thread that serves sockets: it must not block, and answers now or later.
using Handler = std::function<void(Request, Answer)>;

/// One path of the service.
struct Route {
    std::string method;   ///< `GET`, which HEAD is taken for, or `POST`.
    std::string pattern;  ///< `/api/v1/jobs/{id}`: a name in braces stands for one segment.
    Role role = Role::admin;
    Handler handle;

    /// Content that it takes, as media types; none: its requests have no body.
    std::vector<std::string_view> takes = {};

    /// Where the role depends on what stood in the places: the role; `role` is the least of them.
    std::function<Role(const std::vector<std::string>& parameters)> role_of = {};

    /// It tells of and changes only jobs that Request::scope does not leave out, or of none at all.
    /// Others refuse tokens with a narrow scope.
    bool honours_scope = false;
};

/// The same routes, which honour scopes.
[[nodiscard]] std::vector<Route> honouring_scope(std::vector<Route> routes);

/// What a request is about.
struct RouteMatch {
    const Route* route = nullptr;
    std::vector<std::string> parameters = {};

    std::string caller = {};  ///< See Visitor; filled in where it is admitted.
    Scope scope = {};         ///< Likewise.

    /// What its caller needs.
    [[nodiscard]] Role role() const {
        return route->role_of ? route->role_of(parameters) : route->role;
    }
};

/// The table of all paths.
class Router final {
public:
    explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

    /// The route, or the problem to answer with: 400 for a path that cannot be meant so, 404, 405.
    /// Segments are taken apart before they are decoded, so `%2F` is part of an id; empty ones, `.`
    /// and `..`, bad escapes and what is not UTF-8 are refused.
    [[nodiscard]] std::variant<RouteMatch, Response>
    find(std::string_view method, std::string_view path) const;

private:
    const std::vector<Route> routes_;
};

/// The same routes for clients of Flowable: a problem also has the `message` and `exception` that
/// its REST services answer, the kind of the error and what is wrong.
[[nodiscard]] std::vector<Route> with_flowable_errors(std::vector<Route> routes);

}  // namespace jobstrand::service
