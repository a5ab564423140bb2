#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/typed_verb.hpp"

#include <functional>

namespace jobstrand::cli {

/// Runs a verb that changes things, with an entry in the audit that is there before it begins and
/// says how it ended. A dry run leaves no trace. Throws what the verb throws, and DbError when the
/// entry cannot be written: then nothing was done.
[[nodiscard]] ExitCode
run_audited(Session& session, const TypedVerb& verb, const std::function<ExitCode(Session&)>& run);

}  // namespace jobstrand::cli
