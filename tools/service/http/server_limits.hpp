#pragma once

#include "schema/histogram.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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

/// The bytes that the bodies of all connections may take together.
///
/// Thread safety: it belongs to the thread that serves sockets, but shares come back on any:
/// whoever holds an answer may be the last to know of its connection. It outlives its shares.
class BodyBudget final {
public:
    explicit BodyBudget(std::size_t bytes) : bytes_(bytes), left_(bytes), least_left_(bytes) {}

    [[nodiscard]] bool is_unused() const { return left_ == bytes_; }

    /// The most that was given away at a time since this was asked last.
    [[nodiscard]] std::size_t take_peak() {
        return bytes_ - std::exchange(least_left_, left_.load());
    }

    struct GiveBack {
        std::size_t bytes = 0;
        void operator()(BodyBudget* budget) const noexcept { budget->left_ += bytes; }
    };

    /// What one body has been given; comes back by itself. Empty: there was not enough left.
    using Share = std::unique_ptr<BodyBudget, GiveBack>;

    [[nodiscard]] Share take(std::size_t bytes) {
        if (bytes > left_) {
            return {};
        }
        least_left_ = std::min(least_left_, left_ -= bytes);
        return Share(this, GiveBack{bytes});
    }

private:
    std::size_t bytes_;
    std::atomic<std::size_t> left_;
    std::size_t least_left_;
};

/// What a server has done since it began. Thread safety: safe.
struct HttpCounts {
    /// Responses by the first digit of their status: those of 2xx stand at 2.
    std::array<std::atomic<std::uint64_t>, 6> responses{};
    schema::DurationHistogram durations;  ///< From a whole request to its response.
    std::atomic<std::uint64_t> connections{0};
    std::atomic<std::uint64_t> refused_connections{0};
    std::atomic<std::uint64_t> failed_handshakes{0};  ///< Of TLS.
    std::atomic<std::int64_t> open_connections{0};
};

}  // namespace jobstrand::service
