#include "tools/jobstrand/commands/job/job_checks.hpp"

#include "timers/series/series_problems.hpp"
#include "tools/jobstrand/handlers/command_payload.hpp"
#include "tools/jobstrand/output/marked_text.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::vector<std::string>
problems_of_repeating(const NewJob& job, const JobCheckContext& context) {
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

}  // namespace

JobCheckContext job_check_context(Session& session) {
    return {
        .settings = session.settings(),
        .calendars = session.engine().calendar_texts(),
        .now = session.database_now(),
    };
}

std::vector<std::string> problems_of_new(const NewJob& job, const JobCheckContext& context) {
    std::vector<std::string> problems = problems_for_service(job.job, context.settings);
    if (job.repeats() && problems.empty()) {
        problems = problems_of_repeating(job, context);
    }
    return problems;
}

std::vector<std::string> problems_for_service(const schema::Job& job, const Settings& settings) {
    if (job.handler_type != "command" || settings.commands.empty()) {
        return {};
    }
    const auto payload = parse_command_payload(job.payload);
    if (!payload) {
        return {payload.error().message};
    }
    const std::string& name = payload.value().command;
    if (settings.commands.contains(name)) {
        return {};
    }
    std::vector<std::string_view> known;
    for (const auto& [command, ignored] : settings.commands) {
        known.push_back(command);
    }
    return {fmt::format(
        "command {} is not in the configuration; did you mean {}?",
        printable(name),
        nearest_name(name, known)
    )};
}

}  // namespace jobstrand::cli
