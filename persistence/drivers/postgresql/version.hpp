#pragma once

#include <optional>
#include <string>

namespace jobstrand::persistence {

/// Why this program does not work with a server of this version, as one sentence; nullopt: it does.
/// `number` is the server's own: 130004 for 13.4, 90603 for 9.6.3.
[[nodiscard]] std::optional<std::string> postgresql_version_refusal(int number);

}  // namespace jobstrand::persistence
