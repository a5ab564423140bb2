#pragma once

#include "persistence/drivers/socket.hpp"
#include "schema/time.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// A file in memory, for a library that takes something only from a file. Nobody else sees it, and
/// it is gone with this object.
class MemoryFile final {
public:
    /// Throws DbError.
    explicit MemoryFile(std::string_view text);

    /// Where the library finds it, while this object lives.
    [[nodiscard]] std::string path() const;

private:
    Socket file_;
};

/// Asks a server of MySQL's protocol for its certificate, and tells it nothing, not even a user's
/// name. The client library takes `require` for a wish, and goes on without TLS where the server
/// has none; told the fingerprint of a certificate, it does not. So servers that share an address
/// have to show the same one.
///
/// `trusted` is a file with certificates: the server's must be one of them, or signed by one of
/// them, whatever names are in it; the one that a MySQL server makes for itself names no host.
/// Empty: any certificate will do, and proves nothing about who the server is.
///
/// Returns the SHA-1 fingerprint in hexadecimal, the only one that the library compares.
///
/// Throws DbError: unreachable (no server, no TLS, not to be trusted), not_a_database.
[[nodiscard]] std::string mysql_certificate_fingerprint(
    const std::string& host,
    int port,
    schema::Duration timeout,
    const std::string& trusted
);

/// Returns the public key that is in this file, in PEM. Throws DbError: there is none.
[[nodiscard]] std::string mysql_public_key(const std::string& file);

}  // namespace jobstrand::persistence
