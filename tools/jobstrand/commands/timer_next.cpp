#include "tools/jobstrand/commands/timer_next.hpp"

#include "timers/timer_expression.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

/// About a year of hours.
constexpr std::int64_t kMostTimes = 10'000;

[[noreturn]] void refuse(const std::string& message) {
    throw CliError(ExitCode::wrong_usage, message);
}

/// Longer texts are not repeated in an error.
constexpr std::size_t kLongestShown = 200;

/// What is wrong, and below it the text with a mark under the character.
[[nodiscard]] std::string with_mark(const std::string& text, const schema::ParseError& error) {
    if (text.size() > kLongestShown) {
        return error.message;
    }
    const std::size_t before =
        width_of(printable(std::string_view(text).substr(0, error.position)));
    return fmt::format("{}\n  {}\n  {:>{}}", error.message, printable(text), '^', before + 1);
}

[[nodiscard]] timers::TimerExpression expression_of(const std::string& text) {
    const auto expression = timers::parse_timer_expression(text);
    if (!expression) {
        refuse(fmt::format(
            "EXPR is wrong at character {}: {}",
            width_of(std::string_view(text).substr(0, expression.error().position)) + 1,
            with_mark(text, expression.error())
        ));
    }
    return expression.value();
}

[[nodiscard]] timers::Zone zone_of(const std::string& name) {
    const auto zone = timers::Zone::find(name);
    if (!zone) {
        refuse("--zone: " + zone.error().message);
    }
    return zone.value();
}

[[nodiscard]] timers::DstRule rule_of(const std::string& name) {
    if (name != "quartz" && name != "run-once") {
        refuse("--dst must be quartz or run-once, not " + quoted_if_needed(name));
    }
    return name == "quartz" ? timers::DstRule::quartz : timers::DstRule::run_once;
}

/// A date without an offset is in the zone.
[[nodiscard]] schema::TimePoint
after_of(const std::optional<std::string>& text, const timers::Zone& zone, schema::TimePoint now) {
    if (!text) {
        return now;
    }
    const auto date = timers::parse_timer_date(*text);
    if (!date) {
        refuse(fmt::format(
            "--after must be a date such as 2026-11-20T10:15:30Z: {}",
            with_mark(*text, date.error())
        ));
    }
    return date.value().in(zone);
}

void write_lines(
    std::ostream& out,
    const timers::Zone& zone,
    const std::vector<schema::TimePoint>& times
) {
    for (const schema::TimePoint time : times) {
        out << zone.format(time) << '\n';
    }
    if (times.empty()) {
        out << "none\n";
    }
}

void write_records(
    Session& session,
    const timers::Zone& zone,
    const std::vector<schema::TimePoint>& times
) {
    const std::vector<TableColumn> columns{{.field = "time", .heading = "TIME"}};
    RecordWriter writer(session.streams().out, session.format(), columns);
    for (const schema::TimePoint time : times) {
        writer.add({text_field("time", zone.format(time))});
    }
    writer.finish();
}

}  // namespace

ExitCode show_next_times(Session& session, const NextOptions& options) {
    const timers::TimerExpression expression = expression_of(options.expression);
    const timers::TimerContext context{.zone = zone_of(options.zone), .rule = rule_of(options.dst)};
    const schema::TimePoint after = after_of(options.after, context.zone, session.clock().now());
    const std::int64_t count = whole_number("--count", options.count, 1, kMostTimes);
    const auto times =
        timers::next_times(expression, context, after, static_cast<std::size_t>(count));
    const OutputFormat format = session.format();
    if (format == OutputFormat::table || format == OutputFormat::name) {
        write_lines(session.streams().out, context.zone, times);
    } else {
        write_records(session, context.zone, times);
    }
    return ExitCode::done;
}

}  // namespace jobstrand::cli
