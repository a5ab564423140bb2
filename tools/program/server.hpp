#pragma once

#include "tools/session/session.hpp"
#include "tools/text/http_url.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// A service that runs verbs for us.
struct Server {
    HttpUrl url;
    std::string token;  ///< Empty: none is shown.
};

/// Which service is meant: that of --server, else of JOBSTRAND_SERVER unless an option names a
/// database. nullopt: none, verbs run here. Throws CliError wrong_usage when it cannot be said
/// which of the two is meant, or for a URL that cannot be; failed for a token file that cannot be
/// used.
///
/// `is_over_network`: the verb is one that services run. Others run here all the same when only the
/// environment names a service.
[[nodiscard]] std::optional<Server>
server_meant(const GlobalOptions& options, const Environment& environment, bool is_over_network);

}  // namespace jobstrand::cli
