#pragma once

#include "tools/service/http/message.hpp"

#include <optional>

namespace jobstrand::service {

/// The head of a request, as the parser has read it.
struct RequestHead {
    const Request& request;
    unsigned version = 11;           ///< HTTP/1.1.
    bool has_folded_length = false;  ///< Or a folded transfer coding.
};

/// What RFC 9112 wants a server to refuse and the parser lets pass, because another server on the
/// way may read it otherwise (request smuggling): a Content-Length that is said twice, one or
/// a Transfer-Encoding that goes on in a further line, a transfer coding other than chunked, one in
/// HTTP/1.0, no Host or several, a target that is no path. nullopt: nothing. After a refusal the
/// connection must be closed.
[[nodiscard]] std::optional<Response> refusal_of(const RequestHead& head);

}  // namespace jobstrand::service
