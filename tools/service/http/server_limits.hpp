#pragma once

#include <chrono>
#include <cstddef>

namespace jobstrand::service {

/// What a server gives its clients at most (I8). Time-outs are kept to a second.
struct ServerLimits {
    /// More push out those that have no use for their place, or are answered 503 and closed; but a
    /// few more may ask for the service's health (see Places).
    std::size_t connections = 512;

    /// Bytes of a request line with all headers; more: 431.
    std::size_t header_bytes = std::size_t{16} * 1024;

    /// Bytes of one body; more: 413. 16 MiB hold two of the largest payloads.
    std::size_t body_bytes = std::size_t{16} * 1024 * 1024;

    /// Bytes of the bodies of all connections together, a chunked one counted as the largest; more:
    /// 503. To handle one takes several times its bytes.
    std::size_t all_body_bytes = std::size_t{128} * 1024 * 1024;

    /// Bytes of the long answers that are being sent; more: 503.
    std::size_t all_answer_bytes = std::size_t{128} * 1024 * 1024;

    std::chrono::seconds first_byte{10};       ///< Of a connection; then closed.
    std::chrono::seconds first_byte_short{1};  ///< The same while a quarter of the places is left.
    std::chrono::seconds idle{60};             ///< Between two requests; then closed.
    /// From the first byte to the end of the headers; then 408. As long for a handshake of TLS.
    std::chrono::seconds header{10};
    std::chrono::seconds body{60};   ///< For a whole body; then 408.
    std::chrono::seconds write{30};  ///< For a response, or a part of a stream; then closed.
    std::chrono::seconds stop{5};    ///< For what is being answered when the server stops.
};

}  // namespace jobstrand::service
