#pragma once

#include "tools/engine/wiring.hpp"
#include "tools/operations/operation.hpp"
#include "tools/settings/settings.hpp"
#include "tools/surface/verb_call.hpp"

#include <functional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Runs a verb of the command line in a service, for a client: with the service's engine, and
/// nothing else of this machine. `words` are its noun and verb; that there is such a verb, and that
/// the client may use it, has been looked at.
///
/// What goes wrong is in the answer as the command line would say it, but for the database: throws
/// DbError, whose text is for the service's operator.
///
/// `is_stopping`: whether the service is; then what takes long ends where it can.
///
/// Thread safety: safe.
[[nodiscard]] VerbAnswer run_for_client(
    const std::vector<std::string>& words,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
);

/// Likewise an operation of the table, with parameters that a client has given as values. Of `call`
/// the arguments are of no meaning. The answer is JSON.
[[nodiscard]] VerbAnswer run_for_client(
    const Operation& operation,
    const GivenTexts& given,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
);

}  // namespace jobstrand::cli
