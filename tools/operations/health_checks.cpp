#include "tools/operations/health_checks.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/text/time_text.hpp"
#include "timers/series/due_check.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <string>

namespace jobstrand::cli {

using namespace std::chrono_literals;
using persistence::Node;
using schema::Job;

std::string_view name_of(FindingLevel level) {
    switch (level) {
        case FindingLevel::ok:
            return "ok";
        case FindingLevel::note:
            return "note";
        case FindingLevel::unknown:
            return "unknown";
        case FindingLevel::wrong:
            return "wrong";
    }
    return {};
}

const Fields<Finding>& finding_fields() {
    static const Fields<Finding> all{
        {.name = "check", .value = &Finding::check, .meaning = "What was looked at"},
        {.name = "level",
         .value = [](const Finding& finding) { return std::string(name_of(finding.level)); },
         .meaning = "ok; note: good to know; unknown: this user may not look; wrong"},
        {.name = "text", .value = &Finding::text, .meaning = "What was found"},
        {.name = "advice",
         .value = &Finding::advice,
         .meaning = "What to do",
         .is_null_if_empty = true},
    };
    return all;
}

void look_at(
    std::string_view check,
    Findings& findings,
    const std::function<void(Findings&)>& look
) {
    // Defended catch: what one look meets must not hide what the others find.
    try {
        look(findings);
    } catch (const persistence::DbError& error) {
        const bool may_not = error.kind() == persistence::DbErrorKind::access_denied;
        findings.push_back(
            {.check = std::string(check),
             .level = may_not ? FindingLevel::unknown : FindingLevel::wrong,
             .text = error.what()}
        );
    }
}

namespace {

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
                 "no living node takes {}{}: {}",
                 quoted_if_needed(kind.handler_type),
                 kind.needs.empty() ? "" : " that needs " + quoted_if_needed(kind.needs),
                 counted(jobs, "job waits", "jobs wait")
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
                     "none asks for {}: {}, the first since {}",
                     quoted_if_needed(topic.topic),
                     counted(topic.waiting, "job waits", "jobs wait"),
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

[[nodiscard]] Finding finding_of_first_free(const QueueFacts& facts) {
    if (!facts.first_free) {
        return {.check = "waiting", .text = "no job waits"};
    }
    const Job& job = *facts.first_free;
    const schema::TimePoint since = waiting_since(job, facts.now);
    const bool is_long = facts.now - since > kLongWait;
    return {
        .check = "waiting",
        .level = is_long ? FindingLevel::wrong : FindingLevel::ok,
        .text = fmt::format(
            "the oldest job that waits is {} ({}), since {}",
            quoted_if_needed(job.id),
            quoted_if_needed(job.handler_type),
            time_and_age(since, facts.now)
        ),
        .advice = is_long ? "jobstrand job explain " + quoted_if_needed(job.id) : ""};
}

[[nodiscard]] Finding finding_of_timers(const QueueFacts& facts) {
    if (!facts.next_due) {
        return {.check = "timers", .text = "there are none"};
    }
    const bool is_late = facts.now - *facts.next_due > kLate;
    return {
        .check = "timers",
        .level = is_late ? FindingLevel::wrong : FindingLevel::ok,
        .text = fmt::format("the first is due {}", time_and_age(*facts.next_due, facts.now)),
        .advice = is_late ? "nodes fetch due timers as they have room: jobstrand node ls, and "
                            "jobstrand job explain of one: jobstrand timer ls --due-before 1m"
                          : ""};
}

[[nodiscard]] Finding finding_of_dead_letters(const QueueFacts& facts) {
    if (facts.dead_letters == 0 || !facts.latest_dead) {
        return {.check = "dead letters", .text = "there are none"};
    }
    const Job& latest = *facts.latest_dead;
    const bool is_recent = latest.failed_time && facts.now - *latest.failed_time < kRecent;
    const bool are_more = facts.dead_letters > QueueFacts::kMostCounted;
    return {
        .check = "dead letters",
        .level = is_recent ? FindingLevel::wrong : FindingLevel::note,
        .text = fmt::format(
            "{}{}; the latest is a {}{}: {}",
            are_more ? "more than " : "",
            std::min(facts.dead_letters, QueueFacts::kMostCounted),
            quoted_if_needed(latest.handler_type),
            latest.failed_time ? ", " + time_and_age(*latest.failed_time, facts.now) : "",
            latest.exception_message
        ),
        .advice = "jobstrand dead groups; mend a cause, then jobstrand dead requeue --group"};
}

[[nodiscard]] Finding finding_of_turns(const QueueFacts& facts) {
    if (facts.without_turn.empty()) {
        return {
            .check = "turns of series",
            .text = fmt::format(
                "each series {}that goes on has its next turn",
                facts.series_up_to.empty()
                    ? ""
                    : fmt::format("up to {} ", quoted_if_needed(facts.series_up_to))
            )};
    }
    const std::size_t count = facts.without_turn.size();
    return {
        .check = "turns of series",
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
        )};
}

}  // namespace

void check_jobs(const QueueFacts& facts, Findings& findings) {
    check_served(facts, findings);
    check_external(facts, findings);
    findings.push_back(finding_of_first_free(facts));
    findings.push_back(finding_of_timers(facts));
    findings.push_back(finding_of_turns(facts));
    findings.push_back(finding_of_dead_letters(facts));
}

namespace {

/// Each job costs a few answers, and each node waits for its own.
constexpr std::chrono::milliseconds kSlowAnswer{100};

constexpr schema::Duration kSkewNoticed = std::chrono::seconds(1);

/// Zones differ by a quarter of an hour at least; clocks of machines by less.
constexpr schema::Duration kZoneNoticed = std::chrono::minutes(14);

struct NamedNodes {
    std::vector<std::string> living;
    std::vector<std::string> dead;
    std::vector<std::string> drained;
    std::set<std::string> versions;
};

NamedNodes sorted_out(const std::vector<Node>& nodes, schema::TimePoint now) {
    NamedNodes names;
    for (const Node& node : nodes) {
        const std::string name = quoted_if_needed(node.identity.node);
        if (node.lease_until < now) {
            names.dead.push_back(name);
            continue;
        }
        names.living.push_back(name);
        if (!node.identity.version.empty()) {
            names.versions.insert(node.identity.version);
        }
        if (node.state == persistence::NodeState::draining) {
            names.drained.push_back(name);
        }
    }
    return names;
}

}  // namespace

void check_lost_nodes(const std::vector<Node>& lost, schema::TimePoint now, Findings& findings) {
    constexpr std::size_t most_named = 5;
    if (lost.empty()) {
        return;
    }
    std::vector<std::string> names;
    for (const Node& node : std::span(lost).first(std::min(lost.size(), most_named))) {
        names.push_back(fmt::format(
            "{} ({}, {} jobs held)",
            quoted_if_needed(node.identity.node),
            relative_time(node.lease_until, now),
            node.load.held
        ));
    }
    findings.push_back(
        {.check = "lost nodes",
         .level = FindingLevel::note,
         .text = fmt::format(
             "{} within a day: {}{}",
             lost.size(),
             fmt::join(names, ", "),
             lost.size() > most_named ? ", ..." : ""
         ),
         .advice = "see their logs: killed, out of memory, or cut off? Others have run their jobs"}
    );
}

void check_nodes(const std::vector<Node>& nodes, schema::TimePoint now, Findings& findings) {
    const NamedNodes names = sorted_out(nodes, now);
    if (names.living.empty()) {
        findings.push_back(
            {.check = "nodes",
             .level = FindingLevel::wrong,
             .text = "no node lives: nothing runs",
             .advice = "start one: jobstrand serve"}
        );
    } else {
        findings.push_back(
            {.check = "nodes",
             .text = fmt::format("{} live: {}", names.living.size(), fmt::join(names.living, ", "))}
        );
    }
    if (!names.dead.empty()) {
        findings.push_back(
            {.check = "nodes",
             .level = FindingLevel::wrong,
             .text = fmt::format("did not renew their leases: {}", fmt::join(names.dead, ", ")),
             .advice = "a living node frees their jobs within seconds; see their logs"}
        );
    }
    if (!names.drained.empty()) {
        const bool are_all = names.drained.size() == names.living.size();
        findings.push_back(
            {.check = "nodes",
             .level = are_all ? FindingLevel::wrong : FindingLevel::note,
             .text = fmt::format("drained, and taking nothing: {}", fmt::join(names.drained, ", ")),
             .advice = fmt::format("jobstrand node resume {}", fmt::join(names.drained, " "))}
        );
    }
    for (const Node& node : nodes) {
        if (node.lease_until >= now && !node.standstill.empty()) {
            findings.push_back(
                {.check = "progress",
                 .level = FindingLevel::wrong,
                 .text = fmt::format(
                     "{} lives and stands still: {}",
                     quoted_if_needed(node.identity.node),
                     node.standstill
                 ),
                 .advice = "see its log, and restart it: others run its jobs then"}
            );
        }
    }
    if (names.versions.size() > 1) {
        findings.push_back(
            {.check = "versions",
             .level = FindingLevel::note,
             .text = fmt::format("nodes are of several: {}", fmt::join(names.versions, ", ")),
             .advice = "end the upgrade: restart the older ones with the new program"}
        );
    }
}

Finding
finding_of_answer(std::string_view product, std::chrono::duration<double, std::milli> took) {
    Finding finding{
        .check = "database", .text = fmt::format("{} answers in {:.1f} ms", product, took.count())};
    if (took > kSlowAnswer) {
        finding.level = FindingLevel::wrong;
        finding.text += ", which is slow";
        finding.advice =
            "look at the way to it and at its load: nodes wait for several answers "
            "before each batch of jobs";
    }
    return finding;
}

Finding finding_of_clock(schema::Duration skew) {
    const bool is_wrong = std::chrono::abs(skew) > kSkewNoticed;
    return {
        .check = "clock",
        .level = is_wrong ? FindingLevel::wrong : FindingLevel::ok,
        .text = fmt::format(
            "this machine's is {} ms {} the database's, which is the one that counts",
            std::chrono::abs(skew).count(),
            skew.count() < 0 ? "behind" : "ahead of"
        ),
        .advice = is_wrong ? "let chrony or systemd-timesyncd set both" : ""};
}

Finding
finding_of_engine_times(const std::optional<schema::TimePoint>& last_job, schema::TimePoint now) {
    if (last_job && *last_job - now > kZoneNoticed) {
        return {
            .check = "engine",
            .level = FindingLevel::wrong,
            .text = fmt::format(
                "a Flowable engine made a job {} minutes from now: its times are not UTC",
                std::chrono::round<std::chrono::minutes>(*last_job - now).count()
            ),
            .advice =
                "give its JVM -Duser.timezone=UTC, or its driver the option of "
                "docs/flowable.md; due dates that are there already stay wrong"};
    }
    return {
        .check = "engine",
        .text = "a Flowable engine has its tables here, and none of its times lies ahead"};
}

namespace {

/// Series that are named.
constexpr std::size_t kSeriesNamed = 10;

}  // namespace

Finding finding_of_series(const schema::Page<schema::Series>& waiting) {
    std::vector<std::string> named;
    std::size_t differing = 0;
    for (const schema::Series& series : waiting.items) {
        if (!timers::is_due_by_text(series) && ++differing <= kSeriesNamed) {
            named.push_back(fmt::format(
                "{} ({}, {}) at {}",
                quoted_if_needed(series.key),
                series.repeat,
                series.zone,
                schema::format_instant(*series.next_fire)
            ));
        }
    }
    const std::size_t looked_at = waiting.items.size();
    if (differing == 0) {
        return {
            .check = "series",
            .text = fmt::format(
                "{}{} wait for the times that their texts name",
                waiting.has_more ? "the first " : "",
                looked_at
            )};
    }
    const std::string more =
        differing > kSeriesNamed ? fmt::format(", and {} more", differing - kSeriesNamed) : "";
    return {
        .check = "series",
        .level = FindingLevel::note,
        .text = fmt::format(
            "{}{} wait for a time that their texts do not name by the rules of their zones as "
            "they are now: {}{}",
            differing,
            waiting.has_more ? fmt::format(" of the first {}", looked_at) : "",
            fmt::join(named, "; "),
            more
        ),
        .advice =
            "unless somebody has chosen these dates: jobstrand series reschedule KEY "
            "--repeat TEXT with the same text computes the turn anew"};
}

}  // namespace jobstrand::cli
