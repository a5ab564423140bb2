#include "tools/operations/job/job_enqueueing.hpp"

#include "timers/series/series_problems.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::vector<std::string>
problems_of_repeating(const executor::NewJob& job, const JobCheckContext& context) {
    const std::string& repeat = job.job.repeat;
    if (const auto error = timers::problem_of_repeat(repeat)) {
        return {"repeat is wrong " + with_place(repeat, *error)};
    }
    schema::Series series = job.series;
    series.key = job.job.series;
    series.handler_type = job.job.handler_type;
    series.repeat = repeat;
    return timers::problems_of_new(series, context.calendars, job.job.due_date, context.now);
}

/// What a payload names must be one of the configured tables.
template <typename Tables>
[[nodiscard]] std::vector<std::string>
problems_of_name(std::string_view kind, const std::string& name, const Tables& tables) {
    if (tables.contains(name)) {
        return {};
    }
    std::vector<std::string_view> known;
    for (const auto& [table, ignored] : tables) {
        known.push_back(table);
    }
    return {fmt::format(
        "{} {} is not in the configuration; did you mean {}?",
        kind,
        printable(name),
        nearest_name(name, known)
    )};
}

}  // namespace

JobCheckContext job_check_context(Session& session) {
    return {
        .settings = session.settings(),
        .calendars = session.engine().calendar_texts(),
        .now = session.database_now(),
    };
}

std::vector<std::string>
problems_of_new(const executor::NewJob& job, const JobCheckContext& context) {
    std::vector<std::string> problems = problems_for_service(job.job, context.settings);
    if (job.repeats() && problems.empty()) {
        problems = problems_of_repeating(job, context);
    }
    return problems;
}

std::vector<std::string> problems_for_service(const schema::Job& job, const Settings& settings) {
    if (job.handler_type == "command" && !settings.commands.empty()) {
        const auto payload = parse_command_payload(job.payload);
        return payload ? problems_of_name("command", payload.value().command, settings.commands)
                       : std::vector<std::string>{payload.error().message};
    }
    if (job.handler_type == "http" && !settings.targets.empty()) {
        const auto target = target_named_in(job.payload);
        return target ? problems_of_name("target", target.value(), settings.targets)
                      : std::vector<std::string>{target.error().message};
    }
    return {};
}

schema::Enqueued enqueue(Session& session, const executor::NewJob& job) {
    return session.enqueueing().enqueue(job);
}

std::string what_is_taken(Session& session, const executor::NewJob& job) {
    const auto taken = session.enqueueing().find_taken(job);
    return taken ? in_words(*taken) : "";
}

std::string in_words(const executor::TakenName& taken) {
    if (!taken.why.empty()) {
        return taken.why;
    }
    return fmt::format(
        "there is a {} {} already", taken.is_series ? "series" : "job", quoted_if_needed(taken.name)
    );
}

}  // namespace jobstrand::cli
