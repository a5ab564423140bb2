#pragma once

#include "schema/time.hpp"

#include <string>

namespace jobstrand::persistence {

/// Asks a server of MySQL's protocol for its certificate, and tells it nothing, not even a user's
/// name. The client library takes `require` for a wish, and goes on without TLS where the server
/// has none; told the fingerprint of a certificate, it does not.
///
/// Returns the SHA-1 fingerprint in hexadecimal, the only one that the library compares. It proves
/// nothing about who the server is: see the option `ssl=verify`.
///
/// Throws DbError: unreachable (no server, no TLS), not_a_database.
[[nodiscard]] std::string
mysql_certificate_fingerprint(const std::string& host, int port, schema::Duration timeout);

}  // namespace jobstrand::persistence
