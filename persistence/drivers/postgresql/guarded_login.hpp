#pragma once

#include "persistence/drivers/socket.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

struct pg_conn;  // libpq's name for what it hands out as PGconn.

namespace jobstrand::persistence {

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
