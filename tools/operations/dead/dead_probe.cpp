#include "tools/operations/dead/dead_probe.hpp"

#include "tools/parameters/item_report.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::cli {

namespace {

using deadletter::ProbeEnd;
using deadletter::ProbePatience;
using deadletter::ProbeResult;

[[nodiscard]] ProbePatience patience_of(const std::optional<std::string>& wait) {
    ProbePatience patience;
    patience.wait = schema::sleep_for;
    if (wait) {
        patience.most = duration_of("--probe-wait", *wait);
        if (patience.most < schema::Duration{0} || patience.most > std::chrono::days(1)) {
            throw CliError(ExitCode::wrong_usage, "--probe-wait must be at most a day");
        }
    }
    return patience;
}

/// Why the others stay where they are.
[[noreturn]] void stop(const ProbeResult& result) {
    const std::string id = quoted_if_needed(result.id);
    switch (result.end) {
        case ProbeEnd::nothing_to_try:
            throw CliError(ExitCode::not_found, "there is no such dead letter");
        case ProbeEnd::not_requeued:
            throw CliError(
                ExitCode::refused,
                fmt::format("{}: no other was requeued", why_not_job(result.item))
            );
        case ProbeEnd::failed:
            throw CliError(
                ExitCode::failed,
                fmt::format(
                    "job {} failed again and stands in place {}: {}\nno other was requeued",
                    id,
                    name_of(result.place.value()),
                    printable(result.message)
                )
            );
        case ProbeEnd::suspended:
            throw CliError(
                ExitCode::failed,
                fmt::format(
                    "job {} is suspended and does not run: `jobstrand job show {}` says why\nno "
                    "other was requeued",
                    id,
                    id
                )
            );
        case ProbeEnd::succeeded:
        case ProbeEnd::not_ended:
            break;
    }
    throw CliError(
        ExitCode::failed,
        fmt::format(
            "job {} has not ended and stands in place {}: is there a node for it? `jobstrand job "
            "show {}` says what it waits for; --probe-wait waits longer\nno other was requeued",
            id,
            result.place ? name_of(*result.place) : "",
            id
        )
    );
}

}  // namespace

std::string try_first(
    Session& session,
    const deadletter::DeadSelection& selection,
    const std::optional<std::string>& wait
) {
    const ProbeResult result = session.dead_letters().probe(selection, patience_of(wait));
    const bool was_requeued =
        result.end != ProbeEnd::nothing_to_try && result.end != ProbeEnd::not_requeued;
    session.count_changes(was_requeued ? 1 : 0);
    if (result.end != ProbeEnd::succeeded) {
        stop(result);
    }
    session.tell(fmt::format("job {} succeeded; now the others", quoted_if_needed(result.id)));
    return result.id;
}

}  // namespace jobstrand::cli
