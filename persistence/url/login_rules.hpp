#pragma once

#include <optional>
#include <string>

namespace jobstrand::persistence {

struct DatabaseUrl;

/// What cannot be meant so in the way to a server and in what is shown there: two passwords, a host
/// and a socket, half of a certificate. In words for the person who wrote it; nullopt: nothing.
[[nodiscard]] std::optional<std::string> login_error(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
