#include "tools/operations/dead/dead_options.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

using deadletter::CauseSelection;
using deadletter::DeadSelection;
using deadletter::JobSelection;

DeadSelection dead_selection_of(Session& session, const DeadBulkOptions& options) {
    if (!options.group) {
        return selection_of(session, options);
    }
    if (!options.ids.empty() || options.all) {
        throw CliError(ExitCode::wrong_usage, "--group goes with filters, not with ids or --all");
    }
    if (!deadletter::is_cause_id(*options.group)) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format(
                "--group must be 12 hexadecimal digits as `jobstrand dead groups` shows them, not "
                "{}",
                quoted_if_needed(*options.group)
            )
        );
    }
    DeadSelection selection =
        CauseSelection{.cause = *options.group, .filter = filter_of(session, options.filter)};
    if (session.dead_letters().count(selection) == 0) {
        throw CliError(
            ExitCode::not_found, fmt::format("no dead letter is of the group {}", *options.group)
        );
    }
    return selection;
}

const std::vector<std::string>* named_in(const DeadSelection& selection) {
    const auto* const jobs = std::get_if<JobSelection>(&selection);
    return jobs != nullptr && jobs->is_by_id() ? &jobs->ids() : nullptr;
}

}  // namespace jobstrand::cli
