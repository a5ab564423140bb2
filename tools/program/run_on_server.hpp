#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/command_line.hpp"
#include "tools/text/http_address.hpp"

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

/// Has a service run the verb that was typed here: reads what it reads on this machine, asks what
/// it asks on this terminal, and writes what it writes. The session is one of this machine; its
/// database is not opened.
///
/// Throws CliError when the service does not do it.
[[nodiscard]] ExitCode run_on_server(const Server& server, Session& session, const TypedVerb& verb);

/// Has the service keep the locks of this machine's `lock run`. Both must outlive it.
[[nodiscard]] LockCalls locks_of(const Server& server, Session& session);

}  // namespace jobstrand::cli
