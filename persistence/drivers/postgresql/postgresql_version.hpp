#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// Why this program does not work with a server of this version, as one sentence; nullopt: it does.
/// `number` is the server's own: 130004 for 13.4, 90603 for 9.6.3.
[[nodiscard]] std::optional<std::string> postgresql_version_refusal(int number);

/// Whether PostgreSQL itself, or a distribution of it, writes a version so: `18.6`, `19beta1`,
/// `15.18 (Debian 15.18-0+deb12u1)`. Other engines add a name of their own, or a third number.
[[nodiscard]] bool is_postgresqls_own_version(std::string_view text);

}  // namespace jobstrand::persistence
