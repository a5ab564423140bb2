#include "tools/jobstrand/commands/timer/timer_next.hpp"

#include "timers/cycle/timer_expression.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/output/marked_text.hpp"
#include "tools/jobstrand/output/printable.hpp"

namespace jobstrand::cli {

namespace {

/// About a year of hours.
constexpr std::int64_t kMostTimes = 10'000;

[[noreturn]] void refuse(const std::string& message) {
    throw CliError(ExitCode::wrong_usage, message);
}

[[nodiscard]] timers::TimerExpression expression_of(const std::string& text) {
    const auto expression = timers::parse_timer_expression(text);
    if (!expression) {
        refuse("EXPR is wrong " + with_mark(text, expression.error()));
    }
    return expression.value();
}

[[nodiscard]] timers::DstRule rule_of(const std::string& name) {
    if (name != "quartz" && name != "run-once") {
        refuse("--dst must be quartz or run-once, not " + quoted_if_needed(name));
    }
    return name == "quartz" ? timers::DstRule::quartz : timers::DstRule::run_once;
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
    RecordWriter writer(session.streams().out, session.format(), columns, session.style());
    for (const schema::TimePoint time : times) {
        writer.add({text_field("time", zone.format(time))});
    }
    writer.finish();
}

}  // namespace

ExitCode show_next_times(Session& session, const NextOptions& options) {
    const timers::TimerExpression expression = expression_of(options.expression);
    const timers::TimerContext context{.zone = zone_of(options.zone), .rule = rule_of(options.dst)};
    const schema::TimePoint after =
        options.after ? time_without_database(
                            session, "--after", *options.after, timers::Toward::ahead, context.zone
                        )
                      : session.clock().now();
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
