#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/remote/typed_verb.hpp"
#include "tools/jobstrand/session.hpp"

#include <functional>

namespace jobstrand::cli {

/// Runs a verb that changes things, with an entry in the audit that is there before it begins and
/// says how it ended. A dry run leaves no trace. Throws what the verb throws, and DbError when the
/// entry cannot be written: then nothing was done.
[[nodiscard]] ExitCode
run_audited(Session& session, const TypedVerb& verb, const std::function<ExitCode(Session&)>& run);

}  // namespace jobstrand::cli
