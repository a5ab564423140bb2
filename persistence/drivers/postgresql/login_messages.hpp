#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Reads what a server says to somebody who logs in, message by message
/// (https://www.postgresql.org/docs/current/protocol-flow.html), and holds each back until it is
/// whole, so that none passes unread.
class LoginMessages final {
public:
    /// What may be passed on now; nullopt: the server asks for the password itself. After that, and
    /// after what is no message, nothing may be passed on any more.
    [[nodiscard]] std::optional<std::string> pass(std::string_view bytes);

    /// What the server has said is no message of this protocol. It has been passed on, so that the
    /// client library can say so.
    [[nodiscard]] bool is_broken() const { return is_broken_; }

private:
    std::string rest_;  ///< The beginning of a message.
    bool is_let_in_ = false;
    bool is_broken_ = false;
};

/// A server's error as a message, for who logs in.
[[nodiscard]] std::string login_error(std::string_view sqlstate, std::string_view text);

}  // namespace jobstrand::persistence
