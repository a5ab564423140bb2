#include "tools/operations/doctor/job_health.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/text/relative_time.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using schema::Job;

/// Who waits for longer waits for too few workers, or in vain.
constexpr schema::Duration kLongWait = 10min;
/// A mover that lives is not later than this.
constexpr schema::Duration kLate = 1min;
/// Dead letters of this time are news.
constexpr schema::Duration kRecent = 24h;

std::string time_and_age(schema::TimePoint time, schema::TimePoint now) {
    return fmt::format("{} ({})", schema::format_instant(time), relative_time(time, now));
}

void check_served(const QueueFacts& facts, Findings& findings) {
    if (facts.unserved.empty()) {
        findings.push_back(
            {.check = "handlers", .text = "living nodes take all kinds of jobs that wait"}
        );
    }
    for (const auto& [kind, jobs] : facts.unserved) {
        findings.push_back(
            {.check = "handlers",
             .level = FindingLevel::wrong,
             .text = fmt::format(
                 "no living node takes {}{}: {} jobs wait",
                 quoted_if_needed(kind.handler_type),
                 kind.needs.empty() ? "" : " that needs " + quoted_if_needed(kind.needs),
                 jobs
             ),
             .advice = "start a node that does; jobstrand stats tells more"}
        );
    }
}

/// Where nobody has asked for longer than nodes remember.
void check_external(const QueueFacts& facts, Findings& findings) {
    for (const deadletter::ExternalTopic& topic : facts.external) {
        const schema::TimePoint since = topic.waits_since.value_or(facts.now);
        if (topic.is_abandoned() && facts.now - since > persistence::AskedTopic::kLasts) {
            findings.push_back(
                {.check = "external workers",
                 .level = FindingLevel::wrong,
                 .text = fmt::format(
                     "none asks for {}: {} jobs wait, the first since {}",
                     quoted_if_needed(topic.topic),
                     topic.waiting,
                     time_and_age(since, facts.now)
                 ),
                 .advice = "start a worker for it, or see why it does not reach the service; "
                           "jobstrand top shows who asks"}
            );
        }
    }
}

/// Since when a job could have run, as far as its row says.
schema::TimePoint waiting_since(const Job& job, schema::TimePoint now) {
    const schema::TimePoint made = job.create_time.value_or(now);
    return std::max(made, job.due_date.value_or(made));
}

void check_first_free(const QueueFacts& facts, Findings& findings) {
    if (!facts.first_free) {
        findings.push_back({.check = "waiting", .text = "no job waits"});
        return;
    }
    const Job& job = *facts.first_free;
    const schema::TimePoint since = waiting_since(job, facts.now);
    const bool is_long = facts.now - since > kLongWait;
    findings.push_back(
        {.check = "waiting",
         .level = is_long ? FindingLevel::wrong : FindingLevel::ok,
         .text = fmt::format(
             "the oldest job that waits is {} ({}), since {}",
             quoted_if_needed(job.id),
             quoted_if_needed(job.handler_type),
             time_and_age(since, facts.now)
         ),
         .advice = is_long ? "jobstrand job explain " + quoted_if_needed(job.id) : ""}
    );
}

void check_timers(const QueueFacts& facts, Findings& findings) {
    if (!facts.next_due) {
        findings.push_back({.check = "timers", .text = "there are none"});
        return;
    }
    const bool is_late = facts.now - *facts.next_due > kLate;
    findings.push_back(
        {.check = "timers",
         .level = is_late ? FindingLevel::wrong : FindingLevel::ok,
         .text = fmt::format("the first is due {}", time_and_age(*facts.next_due, facts.now)),
         .advice = is_late ? "nodes fetch due timers as they have room: jobstrand node ls, and "
                             "jobstrand job explain of one: jobstrand timer ls --due-before 1m"
                           : ""}
    );
}

void check_dead(const QueueFacts& facts, Findings& findings) {
    if (facts.dead_letters == 0 || !facts.latest_dead) {
        findings.push_back({.check = "dead letters", .text = "there are none"});
        return;
    }
    const Job& latest = *facts.latest_dead;
    const bool is_recent = latest.failed_time && facts.now - *latest.failed_time < kRecent;
    const bool are_more = facts.dead_letters > QueueFacts::kMostCounted;
    findings.push_back(
        {.check = "dead letters",
         .level = is_recent ? FindingLevel::wrong : FindingLevel::note,
         .text = fmt::format(
             "{}{}; the latest is a {}{}: {}",
             are_more ? "more than " : "",
             std::min(facts.dead_letters, QueueFacts::kMostCounted),
             quoted_if_needed(latest.handler_type),
             latest.failed_time ? ", " + time_and_age(*latest.failed_time, facts.now) : "",
             latest.exception_message
         ),
         .advice = "jobstrand dead groups; mend a cause, then jobstrand dead requeue --group"}
    );
}

void check_series(const QueueFacts& facts, Findings& findings) {
    if (facts.without_turn.empty()) {
        findings.push_back(
            {.check = "turns of series",
             .text = fmt::format(
                 "each series {}that goes on has its next turn",
                 facts.series_up_to.empty()
                     ? ""
                     : fmt::format("up to {} ", quoted_if_needed(facts.series_up_to))
             )}
        );
        return;
    }
    const std::size_t count = facts.without_turn.size();
    findings.push_back(
        {.check = "turns of series",
         .level = FindingLevel::wrong,
         .text = fmt::format(
             "{}{} series have lost their turn and never fire again: somebody has deleted its row",
             count > QueueFacts::kMostCounted ? "more than " : "",
             std::min(count, QueueFacts::kMostCounted)
         ),
         .advice = fmt::format(
             "jobstrand series resume {}{}",
             quoted_if_needed(facts.without_turn.front()),
             count > 1 ? ", and the like" : ""
         )}
    );
}

}  // namespace

void check_jobs(const QueueFacts& facts, Findings& findings) {
    check_served(facts, findings);
    check_external(facts, findings);
    check_first_free(facts, findings);
    check_timers(facts, findings);
    check_series(facts, findings);
    check_dead(facts, findings);
}

}  // namespace jobstrand::cli
