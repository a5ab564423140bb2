#include "tools/jobstrand/commands/option_values.hpp"

#include "schema/limits.hpp"
#include "schema/text/iso8601.hpp"
#include "schema/text/text_rules.hpp"
#include "timers/zone/zone_time.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/input/input.hpp"
#include "tools/jobstrand/json/json_values.hpp"
#include "tools/jobstrand/output/marked_text.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <vector>

namespace jobstrand::cli {

namespace {

constexpr std::int64_t kListed = 100'000;

/// Long texts are not repeated whole in an error line.
constexpr std::size_t kQuotedWidth = 60;

[[noreturn]] void refuse(const std::string& message) {
    throw CliError(ExitCode::wrong_usage, message);
}

[[nodiscard]] std::string quoted(const std::string& text) {
    return quoted_if_needed(cut_to_width(text, kQuotedWidth));
}

[[nodiscard]] std::string payload_text(Session& session, const std::string& text) {
    if (text == "-") {
        return content_of(session, "--payload", text);
    }
    return text.starts_with('@') ? content_of(session, "--payload", text.substr(1)) : text;
}

schema::IsoDuration iso_duration_of(std::string_view option, const std::string& text) {
    const auto duration = schema::parse_iso_duration(text);
    if (!duration) {
        refuse(fmt::format(
            "{} must be an ISO 8601 duration such as PT10M, not {}: {}",
            option,
            quoted(text),
            duration.error().message
        ));
    }
    return duration.value();
}

}  // namespace

std::int64_t whole_number(
    std::string_view option,
    const std::string& text,
    std::int64_t least,
    std::int64_t most
) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number < least || number > most) {
        refuse(fmt::format(
            "{} must be a whole number, {} to {}, not {}", option, least, most, quoted(text)
        ));
    }
    return number;
}

int retries_of(const std::string& text) {
    return static_cast<int>(whole_number("--retries", text, 1, schema::limits::kRetryAttempts));
}

std::size_t limit_of(const std::string& text) {
    return static_cast<std::size_t>(whole_number("--limit", text, 1, kListed));
}

schema::TimePoint instant_of(std::string_view option, const std::string& text) {
    const auto instant = schema::parse_instant(text);
    if (!instant) {
        refuse(fmt::format(
            "{} must be a date such as 2026-11-20T10:15:30Z, not {}: {}",
            option,
            quoted(text),
            instant.error().message
        ));
    }
    return instant.value();
}

timers::Zone zone_of(const std::string& name) {
    const auto zone = timers::Zone::find(name);
    if (!zone) {
        refuse("--zone: " + zone.error().message);
    }
    return zone.value();
}

schema::TimePoint
date_of(std::string_view option, const std::string& text, const timers::Zone& zone) {
    const auto date = timers::parse_timer_date(text);
    if (!date) {
        refuse(fmt::format(
            "{} must be a date such as 2026-11-20T10:15:30Z; it is wrong {}",
            option,
            with_mark(text, date.error())
        ));
    }
    return date.value().in(zone);
}

std::optional<schema::TimePoint> due_of(Session& session, const DueOptions& due) {
    if (due.date && due.duration) {
        refuse("--due and --due-in exclude each other");
    }
    if (due.date) {
        return instant_of("--due", *due.date);
    }
    if (!due.duration) {
        return std::nullopt;
    }
    return session.database_now() + iso_duration_of("--due-in", *due.duration);
}

schema::Duration duration_of(std::string_view option, const std::string& text) {
    // From the first instant on, because a month has a length there.
    const schema::TimePoint start{};
    const schema::Duration duration = start + iso_duration_of(option, text) - start;
    if (duration < std::chrono::seconds(1) || duration > std::chrono::days(366)) {
        refuse(fmt::format("{} must be from a second to a year, not {}", option, quoted(text)));
    }
    return duration;
}

std::string payload_of(Session& session, const std::string& text) {
    std::string payload = payload_text(session, text);
    if (payload.size() > schema::limits::kPayloadBytes) {
        refuse(fmt::format("--payload is longer than {} bytes", schema::limits::kPayloadBytes));
    }
    if (const std::string problem = problem_of_json(payload); !problem.empty()) {
        refuse(fmt::format("--payload is not JSON: {}", problem));
    }
    return payload;
}

// One byte more than is allowed, so that the caller sees when there was more.
std::string content_of(Session& session, std::string_view option, const std::string& file) {
    return Input::open(session.streams().in, option, file)
        .next_bytes(schema::limits::kPayloadBytes + 1);
}

std::string not_empty(std::string_view option, const std::string& text) {
    if (text.empty()) {
        refuse(fmt::format("{} must not be empty", option));
    }
    return text;
}

std::string id_of(std::string_view what, const std::string& text) {
    std::vector<std::string> problems;
    schema::check_id(what, not_empty(what, text), problems);
    if (!problems.empty()) {
        refuse(fmt::format("{}, not {}", problems.front(), quoted(text)));
    }
    return text;
}

}  // namespace jobstrand::cli
