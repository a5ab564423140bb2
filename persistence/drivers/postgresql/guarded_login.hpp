#pragma once

#include "persistence/drivers/socket.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

struct pg_conn;  // libpq's name for what it hands out as PGconn.

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

/// Lets the client library log in, without TLS, to a server that must not get the password itself.
///
/// libpq before 16 sends it to any server that asks for it; later ones can be told not to
/// (require_auth). So it connects to a socket in a folder of ours. A thread behind it passes on
/// what both sides say, and ends the talk at such a request. After the login the library's socket
/// is that of the server, and nobody stands in between any more.
class GuardedLogin final {
public:
    /// `server` is connected, and nothing has been said yet but what the library would not say.
    /// Throws DbError unreachable when the temporary directory cannot be used.
    GuardedLogin(Socket server, int port);
    ~GuardedLogin();

    GuardedLogin(const GuardedLogin&) = delete;
    GuardedLogin& operator=(const GuardedLogin&) = delete;

    /// Where the library finds the server: a `host` to it.
    [[nodiscard]] std::string folder() const { return folder_.path.string(); }

    /// For the end of a login that succeeded, when both sides are silent. A server that does not
    /// take what is sent for so long is lost.
    void leave(pg_conn* connection, schema::Duration answer_limit);

    /// The server has asked for the password itself.
    [[nodiscard]] bool has_refused() const { return has_refused_; }

private:
    /// Only this user may enter it; it goes with its owner.
    struct Folder {
        Folder();
        ~Folder();
        Folder(const Folder&) = delete;
        Folder& operator=(const Folder&) = delete;

        std::filesystem::path path;
    };

    void pass_on();
    void pass_on_all();
    [[nodiscard]] bool is_stopping() const;
    void stop();

    const Socket server_;
    const Folder folder_;
    const Socket listener_;
    const Socket stop_;             ///< Readable: the thread has to end.
    std::optional<Socket> client_;  ///< Made by the thread.
    std::atomic<bool> has_refused_ = false;
    std::jthread thread_;
};

}  // namespace jobstrand::persistence
