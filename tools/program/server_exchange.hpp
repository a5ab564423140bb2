#pragma once

#include "tools/program/server.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What a server has answered.
struct ServerReply {
    int status = 0;
    std::string content_type = {};
    std::string body = {};
};

/// Sends JSON to a path below the server's URL and waits for the answer, for an hour at most, or no
/// longer than `limit` for all of it. With https the server has shown first, by a certificate that
/// this machine trusts (SSL_CERT_FILE), that it is the one that the URL names.
///
/// Throws CliError failed when there is no answer; the message says what to do.
[[nodiscard]] ServerReply post_to(
    const Server& server,
    std::string_view path,
    std::string_view accepted_type,
    std::string json,
    std::optional<std::chrono::milliseconds> limit = {}
);

}  // namespace jobstrand::cli
