#pragma once

#include "tools/service/http/message.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// The body of a response that is told piece by piece, for as long as the client listens. Whoever
/// writes keeps it, and drops it when nobody listens any more.
///
/// Thread safety: safe.
class ResponseStream final {
public:
    /// A client that leaves more than this unread is dropped (I8).
    static constexpr std::size_t kUnsentBytes = std::size_t{256} * 1024;

    explicit ResponseStream(Request asked_for) : asked_for_(std::move(asked_for)) {}

    /// The request that it answers: who asked must be let in for as long as it lasts.
    [[nodiscard]] const Request& asked_for() const { return asked_for_; }

    /// For those who write. false: nobody listens any more.
    bool write(std::string_view piece);
    void end();
    [[nodiscard]] bool is_heard() const;

    /// For the connection that carries it: what is to be sent next.
    struct Next {
        std::string bytes = {};
        bool is_last = false;  ///< Nothing follows.
    };

    /// What has come since the last call, all of which is sent by now.
    [[nodiscard]] Next take();

    /// The client is too slow, and gets nothing more.
    [[nodiscard]] bool is_dropped() const;

    /// `news` is called when take() has something anew, from any thread; it must not block.
    void carry(std::function<void()> news);

    /// The client is gone. When this has returned, `news` is not called any more.
    void hang_up();

private:
    void tell();

    const Request asked_for_;
    mutable std::mutex mutex_;
    std::string pending_;           ///< Guarded by mutex_.
    std::size_t being_sent_ = 0;    ///< Likewise.
    bool has_ended_ = false;        ///< Likewise.
    bool is_dropped_ = false;       ///< Likewise.
    bool has_hung_up_ = false;      ///< Likewise.
    std::function<void()> news_{};  ///< Likewise.
};

}  // namespace jobstrand::service
