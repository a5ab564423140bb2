#pragma once

#include "schema/time.hpp"
#include "timers/zone/spoken_time.hpp"
#include "timers/zone/zone.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Turns what was typed into values. What cannot be meant so throws CliError wrong_usage with the
/// name of the option and what it must be.
namespace jobstrand::cli {

[[nodiscard]] std::int64_t whole_number(
    std::string_view option,
    const std::string& text,
    std::int64_t least,
    std::int64_t most
);

/// 1 to limits::kRetryAttempts.
[[nodiscard]] int retries_of(const std::string& text);

/// Items that a service lists at most, which others use at the same time.
inline constexpr std::int64_t kListedForClients = 10'000;

/// 1 to 100,000; to kListedForClients for a client of a service.
[[nodiscard]] std::size_t
limit_of(const Session& session, const std::string& text, std::string_view option = "--limit");

/// A time as people say it (timers/zone/spoken_time.hpp). One without an offset is one in the zone;
/// `bare` says which way a lone duration points.
[[nodiscard]] schema::TimePoint time_of(
    Session& session,
    std::string_view option,
    const std::string& text,
    timers::Toward bare,
    const timers::Zone& zone = timers::Zone::utc()
);

/// The same where no database is needed: by this machine's clock.
[[nodiscard]] schema::TimePoint time_without_database(
    Session& session,
    std::string_view option,
    const std::string& text,
    timers::Toward bare,
    const timers::Zone& zone
);

/// An exact length of time: `5m`, `PT5M`. A number alone is milliseconds, as in the configuration.
[[nodiscard]] schema::Duration duration_of(std::string_view option, const std::string& text);

/// By IANA name, for --zone.
[[nodiscard]] timers::Zone zone_of(const std::string& name);

/// --due and --due-in as they were typed, and what they do not say themselves.
struct DueOptions {
    std::optional<std::string> date;
    std::optional<std::string> duration;
    std::optional<std::string> zone = {};
    std::optional<std::string> calendar = {};

    [[nodiscard]] bool is_any_given() const { return date || duration; }
};

/// At most one of --due and --due-in, each a timer text (timers/cycle/due_text.hpp); nullopt:
/// neither was given.
[[nodiscard]] std::optional<schema::TimePoint> due_of(Session& session, const DueOptions& due);

/// JSON as it stands, `@FILE` for the content of a file, `-` for stdin. Refuses what is not JSON,
/// or too long.
[[nodiscard]] std::string payload_of(Session& session, const std::string& text);

/// All of a file, or of stdin for `-`; one byte more than kPayloadBytes at most. Throws CliError
/// failed when it cannot be read to its end.
[[nodiscard]] std::string
content_of(Session& session, std::string_view option, const std::string& file);

/// A text that must not be empty: `--type "$UNSET"` is a mistake and must not mean "all".
[[nodiscard]] std::string not_empty(std::string_view option, const std::string& text);

/// An id of an instance or a definition, as the tables hold it.
[[nodiscard]] std::string app_id_of(std::string_view what, const std::string& text);

/// An id as the tables hold it.
[[nodiscard]] std::string id_of(std::string_view what, const std::string& text);

/// Ids that one command takes from stdin.
inline constexpr std::size_t kIdsFromInput = 1'000'000;

/// Ids, keys or names as they were typed, where `-` stands for those on stdin, one on each line:
/// what a list with `-o name` writes. Blank lines are passed over, so an empty list means nothing
/// and never everything.
///
/// Throws CliError: wrong_usage for an empty text, for a second `-`, and for more than
/// kIdsFromInput lines; failed when stdin breaks off.
[[nodiscard]] std::vector<std::string>
typed_ids(Session& session, const std::vector<std::string>& typed);

/// The job that `typed` names: an id, or one that a table has shortened (`01a205a8-3e16-7001…`, or
/// with three dots). An id that is typed whole is not looked for here, and not cut short either:
/// who removes `order-1` does not mean `order-17`.
///
/// Throws CliError: not_found when no job begins so, wrong_usage when several do.
[[nodiscard]] std::string job_id(Session& session, const std::string& typed);

/// typed_ids(), and job_id() of each.
[[nodiscard]] std::vector<std::string>
job_ids(Session& session, const std::vector<std::string>& typed);

}  // namespace jobstrand::cli
