#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/program/server.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/typed_verb.hpp"

namespace jobstrand::cli {

/// Has a service run the verb that was typed here: reads what it reads on this machine, asks what
/// it asks on this terminal, and writes what it writes. The session is one of this machine; its
/// database is not opened.
///
/// Throws CliError when the service does not do it.
[[nodiscard]] ExitCode run_on_server(const Server& server, Session& session, const TypedVerb& verb);

/// Has the service keep the locks of this machine's `lock run`. Both must outlive it.
[[nodiscard]] LockCalls locks_of(const Server& server, Session& session);

}  // namespace jobstrand::cli
