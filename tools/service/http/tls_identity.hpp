#pragma once

#include "schema/time.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::service {

/// Where a server's certificate is, and its key: PEM. The certificate comes first in its file, and
/// those behind it lead to one that clients know.
struct TlsFiles {
    std::string certificate;
    std::string key;
};

/// Certificate or key cannot be used: what is wrong, and what to do.
class TlsFileError final : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// What a server shows to its clients.
struct TlsIdentity {
    /// For TLS 1.2 (with forward secrecy and without CBC) and newer, with HTTP/1.1 (ALPN).
    /// Connections may outlive it.
    std::shared_ptr<boost::asio::ssl::context> context;
    schema::TimePoint expires;
    std::vector<std::string> remarks = {};  ///< It can be used, but: for the log.
};

/// Throws TlsFileError. A certificate whose time is over is remarked on: an operator who has just
/// that may still need the service.
[[nodiscard]] TlsIdentity read_tls_identity(const TlsFiles& files, schema::TimePoint now);

}  // namespace jobstrand::service
