#include "tools/operations/job/job_showing.hpp"

#include "deadletter/node_admin.hpp"
#include "schema/acquisition.hpp"
#include "schema/job_definition.hpp"
#include "schema/text/time_text.hpp"
#include "tools/output/record.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::Suspension;
using persistence::SuspensionScope;
using schema::Job;

/// As the command line calls them: the noun that suspends and activates.
[[nodiscard]] std::string_view noun_of(SuspensionScope scope) {
    switch (scope) {
        case SuspensionScope::instance:
            return "instance";
        case SuspensionScope::definition:
            return "definition";
        case SuspensionScope::series:
            return "series";
        case SuspensionScope::timer_group:
            return "group";
        case SuspensionScope::tenant:
            return "tenant";
        case SuspensionScope::job:
            return "job";
        case SuspensionScope::job_definition:
        case SuspensionScope::new_of_definition:
        case SuspensionScope::new_of_job_definition:
            return "definition";
    }
    return {};
}

[[nodiscard]] std::string_view verb_of(SuspensionScope scope) {
    const bool is_of_turns =
        scope == SuspensionScope::series || scope == SuspensionScope::timer_group;
    return is_of_turns ? "resume" : "activate";
}

/// As it is typed behind the verb.
[[nodiscard]] std::string typed_id_of(const Suspension& suspension) {
    if (!is_of_kind(suspension.scope)) {
        return quoted_if_needed(suspension.id);
    }
    const schema::JobDefinitionName name = schema::job_definition_named(suspension.id);
    std::string typed = quoted_if_needed(name.definition);
    const auto add = [&typed](std::string_view option, const std::string& value) {
        if (!value.empty()) {
            typed += fmt::format(" {} {}", option, quoted_if_needed(value));
        }
    };
    add("--element", name.element);
    add("--type", name.type);
    return typed;
}

[[nodiscard]] RecordField suspended_field(const deadletter::JobDetails& found) {
    constexpr std::string_view kName = "suspendedBy";
    if (found.suspended_by.empty()) {
        return text_or_null_field(kName, {});
    }
    std::vector<Record> records;
    std::vector<std::string> words;
    for (const Suspension& suspension : found.suspended_by) {
        records.push_back({
            text_field("scope", noun_of(suspension.scope)),
            text_field("id", suspension.id),
            time_field("since", suspension.since),
        });
        words.push_back(in_words(suspension));
    }
    return records_field(kName, records, fmt::format("{}", fmt::join(words, "; ")));
}

[[nodiscard]] RecordField
awaited_field(const deadletter::JobDetails& found, const std::vector<std::string>& limits) {
    constexpr std::string_view kName = "waitsFor";
    if (schema::waits_for_limit(found.placed.job)) {
        const std::string names = fmt::format("{}", fmt::join(limits, " "));
        return {
            .name = kName,
            .json = json_of(Record{text_field("limits", names)}),
            .text = "room within limits: " + names,
        };
    }
    if (!found.awaits) {
        return text_or_null_field(kName, {});
    }
    const auto& [group, holder] = *found.awaits;
    return {
        .name = kName,
        .json = json_of(Record{
            text_field("instance", group),
            text_or_null_field("lockOwner", holder),
        }),
        .text = fmt::format(
            "an exclusive job of instance {}{}", group, holder.empty() ? "" : ", held by " + holder
        ),
    };
}

/// What the job waits for in vain: a node that has what it names; empty: nothing of that kind.
[[nodiscard]] std::string nobody_serves(Session& session, const schema::PlacedJob& placed) {
    const Job& job = placed.job;
    const bool is_to_run =
        schema::can_be_suspended(placed.place) && placed.place != schema::JobPlace::external_worker;
    if (!is_to_run || !job.lock_owner.empty()) {
        return {};
    }
    const std::string needs =
        job.needs.empty() ? session.engine().handlers().need_of(job) : job.needs;
    const schema::TimePoint now = session.database_now();
    persistence::JobKind kind = persistence::kind_of(job);
    kind.needs = needs;
    switch (session.served().lacking(kind, now)) {
        case persistence::Lack::nothing:
            return {};
        case persistence::Lack::handler_type:
            return "handler type " + job.handler_type;
        case persistence::Lack::needs:
            return needs;
        case persistence::Lack::scope:
            return "its category, tenant, definition or priority";
    }
    return {};
}

[[nodiscard]] RecordField node_field(const Job& job) {
    constexpr std::string_view kName = "runsOn";
    const auto node = schema::node_of(job.lock_owner);
    if (!node) {
        return text_or_null_field(kName, {});
    }
    return {
        .name = kName,
        .json =
            json_of(Record{text_field("host", node->host), number_field("process", node->process)}),
        .text = fmt::format("host {}, process {}", node->host, node->process),
    };
}

/// Negative: nobody has renewed it in time, and the next reset frees the job.
[[nodiscard]] RecordField lock_field(const Job& job, schema::TimePoint now) {
    constexpr std::string_view kName = "lockLeftMs";
    if (job.lock_owner.empty() || !job.lock_expiration || schema::waits_for_exclusive(job) ||
        schema::waits_for_limit(job)) {
        return text_or_null_field(kName, {});
    }
    return number_field(kName, (*job.lock_expiration - now).count());
}

/// What a job is doing, or why it does nothing, beyond its own fields: `suspendedBy`, `waitsFor`,
/// `nobodyServes`, `runsOn` and `lockLeftMs`; each is null unless it applies. docs/cli.md says what
/// they hold.
[[nodiscard]] Record state_of(Session& session, const deadletter::JobDetails& found) {
    const Job& job = found.placed.job;
    return {
        suspended_field(found),
        awaited_field(found, session.limits().awaited_by(job)),
        text_or_null_field("nobodyServes", nobody_serves(session, found.placed)),
        node_field(job),
        time_field("runningSince", deadletter::running_since(session.nodes(), job)),
        lock_field(job, session.database_now()),
    };
}

}  // namespace

std::string in_words(const Suspension& suspension) {
    return fmt::format(
        "{0} {1} is suspended since {2} ({0} {3})",
        noun_of(suspension.scope),
        quoted_if_needed(suspension.id),
        schema::format_instant(suspension.since),
        verb_of(suspension.scope)
    );
}

std::string end_of(const Suspension& suspension) {
    return fmt::format(
        "jobstrand {} {} {}",
        noun_of(suspension.scope),
        verb_of(suspension.scope),
        typed_id_of(suspension)
    );
}

namespace {

/// What happened to a job last is shown with it.
constexpr std::size_t kLinesOfPast = 10;

void add_past(Session& session, Record& record, const std::string& job) {
    const auto past = session.history().log({.job = job}, {}, kLinesOfPast);
    if (!past.items.empty()) {
        record.push_back(history_field(past.items));
    }
}

/// Of a job that is gone, where its last run is known: false otherwise.
[[nodiscard]] bool show_done(Session& session, const std::string& id) {
    const auto run = session.last_runs().last_of(id);
    if (!run) {
        return false;
    }
    session.tell("job {} is done: it succeeded, and this is its run", quoted_if_needed(id));
    Record record = record_of(done_fields(), *run);
    add_past(session, record, id);
    write_record(session.streams().out, session.format(), record, session.style());
    return true;
}

[[nodiscard]] deadletter::JobDetails required(
    std::optional<deadletter::JobDetails> found,
    const std::string& id,
    std::optional<schema::JobPlace> place
) {
    if (!found) {
        throw NotFound("there is no job {}", quoted_if_needed(id));
    }
    if (place && found->placed.place != *place) {
        throw NotFound(
            "job {} stands in place {}, not in {}",
            quoted_if_needed(id),
            name_of(found->placed.place),
            name_of(*place)
        );
    }
    return std::move(*found);
}

/// `place` nullopt: wherever it is.
[[nodiscard]] ExitCode
show_job_in(Session& session, const std::string& typed, std::optional<schema::JobPlace> place) {
    const std::string id = job_id(session, typed);
    auto in_a_place = session.search().find(id);
    if (!in_a_place && !place && show_done(session, id)) {
        return ExitCode::done;
    }
    const deadletter::JobDetails found = required(std::move(in_a_place), id, place);
    Record record = record_of(found.placed);
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    std::ranges::move(state_of(session, found), std::back_inserter(record));
    if (auto news = news_field(session.engine().run_news_store(), found.placed)) {
        record.push_back(std::move(*news));
    }
    if (!place) {
        add_past(session, record, found.placed.job.id);
    }
    write_record(session.streams().out, session.format(), record, session.style());
    return ExitCode::done;
}

}  // namespace

ExitCode show_job(Session& session, const NamedThing& job) {
    return show_job_in(session, job.name, std::nullopt);
}

ExitCode show_dead_letter(Session& session, const NamedThing& job) {
    return show_job_in(session, job.name, schema::JobPlace::dead_letter);
}

deadletter::JobDetails
find_job(Session& session, const std::string& typed, std::optional<schema::JobPlace> place) {
    const std::string id = job_id(session, typed);
    return required(session.search().find(id), id, place);
}

}  // namespace jobstrand::cli
