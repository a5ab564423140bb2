#include "tools/parameters/option_values.hpp"

#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/time_text.hpp"
#include "timers/cycle/due_text.hpp"
#include "timers/cycle/timer_expression.hpp"
#include "tools/output/table.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/input.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

namespace jobstrand::cli {

namespace {

constexpr std::int64_t kListed = 100'000;

/// Long texts are not repeated whole in an error line.
constexpr std::size_t kQuotedWidth = 60;

[[nodiscard]] std::string quoted(const std::string& text) {
    return quoted_if_needed(cut_to_width(text, kQuotedWidth));
}

[[nodiscard]] std::string payload_text(Session& session, const std::string& text) {
    if (text == "-") {
        return content_of(session, "--payload", text);
    }
    return text.starts_with('@') ? content_of(session, "--payload", text.substr(1)) : text;
}

[[nodiscard]] timers::SpokenTime spoken_time(std::string_view option, const std::string& text) {
    const auto spoken = timers::parse_spoken_time(text);
    if (!spoken) {
        throw WrongUsage("{} is wrong {}", option, with_mark(text, spoken.error()));
    }
    return spoken.value();
}

[[nodiscard]] schema::TimePoint in_range(
    std::string_view option,
    const std::string& text,
    const std::optional<schema::TimePoint>& time
) {
    if (!time) {
        throw WrongUsage("{} {} is not in the years 1970 to 9999", option, quoted(text));
    }
    return *time;
}

[[nodiscard]] timers::DueText due_text_of(const DueOptions& due) {
    timers::DueText text{.text = due.date ? *due.date : *due.duration};
    if (due.zone) {
        text.zone = zone_of(*due.zone).name();
    }
    if (due.calendar) {
        text.calendar = not_empty("--calendar", *due.calendar);
    }
    return text;
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
        throw WrongUsage(
            "{} must be a whole number, {} to {}, not {}", option, least, most, quoted(text)
        );
    }
    return number;
}

int retries_of(const std::string& text) {
    return static_cast<int>(whole_number("--retries", text, 1, schema::limits::kRetryAttempts));
}

std::size_t limit_of(const Session& session, const std::string& text, std::string_view option) {
    const std::int64_t most = session.is_for_client() ? kListedForClients : kListed;
    return static_cast<std::size_t>(whole_number(option, text, 1, most));
}

timers::Zone zone_of(const std::string& name) {
    const auto zone = timers::Zone::find(name);
    if (!zone) {
        throw WrongUsage("--zone: " + zone.error().message);
    }
    return zone.value();
}

schema::TimePoint time_of(
    Session& session,
    std::string_view option,
    const std::string& text,
    timers::Toward bare,
    const timers::Zone& zone
) {
    const timers::SpokenTime spoken = spoken_time(option, text);
    // Only what is relative needs the database's clock.
    const schema::TimePoint now =
        spoken.is_relative() ? session.database_now() : schema::TimePoint();
    return in_range(option, text, spoken.at(zone, now, bare));
}

schema::TimePoint time_without_database(
    Session& session,
    std::string_view option,
    const std::string& text,
    timers::Toward bare,
    const timers::Zone& zone
) {
    return in_range(option, text, spoken_time(option, text).at(zone, session.clock().now(), bare));
}

schema::Duration duration_of(std::string_view option, const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    const auto duration =
        is_number ? schema::parse_duration(text) : schema::parse_exact_duration(text);
    if (!duration) {
        throw WrongUsage(
            "{} must be an exact duration such as 5m or PT5M, not {}: {}",
            option,
            quoted(text),
            duration.error().message
        );
    }
    return duration.value();
}

std::optional<schema::TimePoint> due_of(Session& session, const DueOptions& due) {
    if (due.date && due.duration) {
        throw WrongUsage("--due and --due-in exclude each other");
    }
    if (!due.is_any_given()) {
        return std::nullopt;
    }
    const std::string_view option = due.date ? "--due" : "--due-in";
    const timers::DueText text = due_text_of(due);
    if (const auto written = timers::parse_timer_expression(text.text); !written) {
        throw WrongUsage("{} is wrong {}", option, with_mark(text.text, written.error()));
    }
    const schema::CalendarTexts calendars =
        text.calendar.empty() ? schema::CalendarTexts() : session.engine().calendar_texts();
    const auto date = timers::due_date_of(text, calendars, session.database_now());
    if (!date) {
        throw WrongUsage("{} {}: {}", option, quoted(text.text), date.error().message);
    }
    return date.value();
}

std::string payload_of(Session& session, const std::string& text) {
    std::string payload = payload_text(session, text);
    if (payload.size() > schema::limits::kPayloadBytes) {
        throw WrongUsage("--payload is longer than {} bytes", schema::limits::kPayloadBytes);
    }
    if (const std::string problem = problem_of_json(payload); !problem.empty()) {
        throw WrongUsage("--payload is not JSON: {}", problem);
    }
    return payload;
}

// One byte more than is allowed, so that the caller sees when there was more.
std::string content_of(Session& session, std::string_view option, const std::string& file) {
    return session.input(option, file).next_bytes(schema::limits::kPayloadBytes + 1);
}

std::string not_empty(std::string_view option, const std::string& text) {
    if (text.empty()) {
        throw WrongUsage("{} must not be empty", option);
    }
    return text;
}

std::string id_of(std::string_view what, const std::string& text) {
    std::vector<std::string> problems;
    schema::check_id(what, not_empty(what, text), problems);
    if (!problems.empty()) {
        throw WrongUsage("{}, not {}", problems.front(), quoted(text));
    }
    return text;
}

std::string app_id_of(std::string_view what, const std::string& text) {
    std::vector<std::string> problems;
    schema::check_app_id(what, not_empty(what, text), problems);
    if (!problems.empty()) {
        throw WrongUsage("{}, not {}", problems.front(), quoted(text));
    }
    return text;
}

namespace {

/// Longer than any id, so that a file which holds no ids is told soon.
constexpr std::size_t kLineBytes = 4096;

constexpr const char* kFromInput = "-";

void require_room(bool is_room, const std::string& why) {
    if (!is_room) {
        throw WrongUsage("stdin: " + why);
    }
}

/// nullopt: the end. Without the line break, also that of Windows.
[[nodiscard]] std::optional<std::string> next_line(Input& input) {
    std::optional<std::string> line;
    while (const auto c = input.next()) {
        line = line.value_or("");
        if (*c == '\n') {
            break;
        }
        require_room(line->size() < kLineBytes, "a line is too long for an id");
        *line += *c;
    }
    if (line && line->ends_with('\r')) {
        line->pop_back();
    }
    return line;
}

void append_lines(Session& session, std::vector<std::string>& ids) {
    Input input = session.input("ids", kFromInput);
    std::size_t count = 0;
    while (auto line = next_line(input)) {
        if (!line->empty()) {
            require_room(++count <= kIdsFromInput, fmt::format("more than {} ids", kIdsFromInput));
            ids.push_back(std::move(*line));
        }
    }
}

/// At most three.
[[nodiscard]] std::vector<std::string>
ids_beginning_with(Session& session, const std::string& beginning) {
    std::vector<std::string> ids;
    if (session.search().find(beginning)) {
        ids.push_back(beginning);
    }
    // Ids are listed in their order, so those that begin so come first behind it.
    const auto page = session.search().list(
        {.places = {schema::kJobPlaces.begin(), schema::kJobPlaces.end()},
         .after = beginning,
         .limit = 2}
    );
    for (const schema::PlacedJob& placed : page.items) {
        if (placed.job.id.starts_with(beginning)) {
            ids.push_back(placed.job.id);
        }
    }
    return ids;
}

}  // namespace

std::vector<std::string> typed_ids(Session& session, const std::vector<std::string>& typed) {
    if (std::ranges::count(typed, kFromInput) > 1) {
        throw WrongUsage("`-` for stdin can be given once");
    }
    std::vector<std::string> ids;
    for (const std::string& id : typed) {
        if (id == kFromInput) {
            append_lines(session, ids);
        } else {
            ids.push_back(not_empty("an id", id));
        }
    }
    return ids;
}

std::string job_id(Session& session, const std::string& typed) {
    const std::string beginning(beginning_of(typed));
    if (beginning.empty()) {
        return typed;
    }
    const std::vector<std::string> found = ids_beginning_with(session, beginning);
    if (found.empty()) {
        throw NotFound("there is no job whose id begins with {}", quoted_if_needed(beginning));
    }
    if (found.size() > 1) {
        throw WrongUsage(
            "several jobs have ids that begin with {}, such as {} and {}: say more of it",
            quoted_if_needed(beginning),
            quoted_if_needed(found[0]),
            quoted_if_needed(found[1])
        );
    }
    return found.front();
}

std::vector<std::string> job_ids(Session& session, const std::vector<std::string>& typed) {
    std::vector<std::string> ids = typed_ids(session, typed);
    for (std::string& id : ids) {
        id = job_id(session, id);
    }
    return ids;
}

}  // namespace jobstrand::cli
