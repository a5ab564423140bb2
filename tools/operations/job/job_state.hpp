#pragma once

#include "deadletter/admin/job_search.hpp"
#include "persistence/suspension.hpp"
#include "tools/output/record.hpp"
#include "tools/session/session.hpp"

#include <string>
#include <vector>

/// What a job is doing, or why it does nothing, beyond its own fields.
namespace jobstrand::cli {

/// `suspendedBy`, `waitsFor`, `nobodyServes`, `runsOn` and `lockLeftMs`; each is null unless it
/// applies. docs/cli.md says what they hold.
[[nodiscard]] Record state_of(Session& session, const deadletter::JobDetails& found);

/// `instance order-17 is suspended since 2026-11-20T10:15:30.123Z (instance activate)`: what holds
/// a job and the verb that lets it go on.
[[nodiscard]] std::string in_words(const persistence::Suspension& suspension);

/// `jobstrand instance activate order-17`.
[[nodiscard]] std::string end_of(const persistence::Suspension& suspension);

}  // namespace jobstrand::cli
