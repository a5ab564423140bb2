#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/remote/server.hpp"
#include "tools/jobstrand/remote/typed_verb.hpp"
#include "tools/jobstrand/session.hpp"

namespace jobstrand::cli {

/// Has a service run the verb that was typed here: reads what it reads on this machine, asks what
/// it asks on this terminal, and writes what it writes. The session is one of this machine; its
/// database is not opened.
///
/// Throws CliError when the service does not do it.
[[nodiscard]] ExitCode run_on_server(const Server& server, Session& session, const TypedVerb& verb);

}  // namespace jobstrand::cli
