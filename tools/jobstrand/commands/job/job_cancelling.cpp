#include "tools/jobstrand/commands/job/job_cancelling.hpp"

#include "schema/text/utf8.hpp"
#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

/// Both together stand in EXCEPTION_MSG_, which holds more than that.
constexpr std::size_t kReasonLength = 1000;
constexpr std::size_t kByLength = 255;

void require_length(std::string_view option, const std::string& text, std::size_t most) {
    if (schema::first_characters(text, most).size() < text.size()) {
        throw CliError(
            ExitCode::wrong_usage, fmt::format("{} has {} characters at most", option, most)
        );
    }
}

}  // namespace

ExitCode cancel_jobs(Session& session, const CancelOptions& options) {
    const deadletter::Cancellation cancellation{
        .by = options.by ? not_empty("--by", *options.by) : session.user(),
        .reason = not_empty("--reason", options.reason),
    };
    require_length("--reason", cancellation.reason, kReasonLength);
    require_length("--by", cancellation.by, kByLength);
    const std::vector<std::string> ids = job_ids(session, options.ids);
    return report_jobs(session, "cancelled", [&](const deadletter::BulkWatch& watch) {
        session.jobs().cancel(ids, cancellation, watch);
    });
}

}  // namespace jobstrand::cli
