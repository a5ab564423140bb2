#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace jobstrand::persistence {

struct DatabaseUrl;

/// Options that all servers have: the way to one, and what is shown there.
inline constexpr std::string_view kSocketOption = "socket";
inline constexpr std::string_view kSslOption = "ssl";
inline constexpr std::string_view kSslCaOption = "ssl_ca";
inline constexpr std::string_view kSslCertOption = "ssl_cert";
inline constexpr std::string_view kSslKeyOption = "ssl_key";
inline constexpr std::string_view kServerPublicKeyOption = "server_public_key";
inline constexpr std::string_view kPasswordFileOption = "password_file";
inline constexpr std::string_view kPasswordCommandOption = "password_command";

/// Which of several servers is the right one, in the words of PostgreSQL's client library.
inline constexpr std::string_view kTargetOption = "target_session_attrs";
inline constexpr std::string_view kReadWrite = "read-write";

/// Whether the server proves who it is before it is told anything: by a certificate that is valid
/// and names its host (`ssl=verify`), or that ssl_ca names or has signed (`verify-ca`).
[[nodiscard]] bool server_is_verified(const DatabaseUrl& url);

/// The value of an option that url_option_error accepted.
[[nodiscard]] std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise);
[[nodiscard]] schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise);

}  // namespace jobstrand::persistence
