#include "persistence/rows/new_dead_letters.hpp"

#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/job_events.hpp"
#include "schema/job_transition.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

Incident incident_of(const NewDeadLetter& dead, schema::TimePoint now) {
    const Job& job = *dead.job;
    const bool is_external =
        dead.from == JobPlace::external_worker || job.type == schema::kExternalWorkerType;
    return {
        .job = job.id,
        .time = job.failed_time.value_or(now),
        .type = std::string(is_external ? kFailedExternalTask : kFailedJob),
        .cause = std::string(schema::name_of(dead.reason)),
        .message = job.exception_message,
        .handler_type = job.handler_type,
        .process_instance_id = job.process_instance_id,
        .root_process_instance_id = job.root_process_instance_id,
        .process_definition_id = job.process_definition_id,
        .job_definition_id = job.job_definition_id,
        .element_id = job.element_id,
        .execution_id = job.execution_id,
        .tenant_id = job.tenant_id,
        .node = dead.node,
        .calling_instances = schema::names_in(job.calling_instances),
    };
}

void enqueue_notice(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const Incident> incidents,
    schema::TimePoint now
) {
    schema::PlacedJob placed{
        .place = JobPlace::executable,
        .job = notice_of(incidents, context.history.rules().incident_target)};
    placed.job.id = context.ids.next();
    placed.job.correlation_id = placed.job.id;
    placed.job.create_time = now;
    store_payloads(transaction, std::span(&placed.job, 1), context.ids);
    const schema::PlacedJob* const row = &placed;
    insert_placed(transaction, std::span(&row, 1));
}

}  // namespace

void log_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
) {
    if (!context.history.rules().incidents) {
        return;
    }
    // Of an engine's dead letters nobody here learns when they leave.
    const auto opens_incident = [&transaction](const NewDeadLetter& one) {
        return schema::is_incident(one.reason) && !is_of_engine(*one.job, transaction.dialect());
    };
    const auto incidents = std::make_shared<std::vector<Incident>>();
    for (const NewDeadLetter& one : dead) {
        if (opens_incident(one)) {
            incidents->push_back(incident_of(one, now));
        }
    }
    open_incidents(transaction, context.history, incidents);
    const bool is_any_told = std::ranges::any_of(dead, [&](const NewDeadLetter& one) {
        return opens_incident(one) && one.job->category != kNoticeCategory;
    });
    if (is_any_told && !context.history.rules().incident_target.empty()) {
        enqueue_notice(transaction, context, *incidents, now);
    }
}

void log_unplanned_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
) {
    JobLogPage log(context.history);
    for (const NewDeadLetter& one : dead) {
        log.add(
            *one.job,
            schema::JobEvent::dead,
            schema::name_of(one.reason),
            {.time = now, .node = one.node, .message = one.job->exception_message}
        );
    }
    log.write(transaction);
    log_dead_letters(transaction, context, dead, now);
}

namespace {

constexpr std::string_view kRename = R"sql(
    UPDATE {table} {by_id}
    SET ID_ = ?
    WHERE ID_ = ?)sql";

/// To the keys of MySQL and MariaDB, ids that differ by blanks at their ends are the same.
std::string without_blanks_at_the_end(std::string_view id) {
    return std::string(id.substr(0, id.find_last_not_of(' ') + 1));
}

/// Ids that stand in a place already.
class TakenIds final {
public:
    TakenIds(Transaction& transaction, JobPlace place, std::vector<std::string_view> ids) {
        std::ranges::sort(ids);
        for (const Job& row : rows_for_update(transaction, place, ids)) {
            ids_.insert(without_blanks_at_the_end(row.id));
        }
    }

    [[nodiscard]] bool contain(const Job& job) const {
        return ids_.contains(without_blanks_at_the_end(job.id));
    }

private:
    std::set<std::string> ids_;
};

std::vector<std::string_view> ids_bound_for(JobPlace place, std::span<const PlacedJob> jobs) {
    std::vector<std::string_view> ids;
    for (const PlacedJob& placed : jobs) {
        if (placed.place == place) {
            ids.emplace_back(placed.job.id);
        }
    }
    return ids;
}

void rename(Transaction& transaction, JobPlace place, std::string_view from, std::string_view to) {
    const std::string sql = fmt::format(
        kRename,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", transaction.dialect().by_id)
    );
    transaction.execute(sql, {to, from});
}

void add_to_message(Job& job, std::string_view sentence) {
    const std::string before = std::exchange(job.exception_message, {});
    job.exception_message = schema::first_characters(
        before.empty() ? sentence : fmt::format("{}; {}", sentence, before),
        schema::limits::kExceptionMessageLength
    );
}

}  // namespace

void divert_duplicates(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::span<PlacedJob> jobs,
    DuplicateIds& duplicates
) {
    duplicates.diverted.clear();
    if (!duplicates.are_expected) {
        return;
    }
    for (const JobPlace place : schema::kJobPlaces) {
        if (place == JobPlace::dead_letter) {
            continue;
        }
        const TakenIds taken(transaction, place, ids_bound_for(place, jobs));
        for (PlacedJob& placed : jobs) {
            if (placed.place == place && taken.contain(placed.job)) {
                const schema::Transition transition =
                    schema::id_taken(placed.job, place, context.clock.now());
                placed = redirected(std::move(placed), transition);
                duplicates.diverted.push_back(placed.job.id);
            }
        }
    }
    give_free_ids(transaction, context, from, jobs);
}

void give_free_ids(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::span<PlacedJob> jobs
) {
    constexpr JobPlace kPlace = JobPlace::dead_letter;
    const TakenIds taken(transaction, kPlace, ids_bound_for(kPlace, jobs));
    for (PlacedJob& placed : jobs) {
        if (placed.place == kPlace && taken.contain(placed.job)) {
            const std::string old = std::exchange(placed.job.id, context.ids.next());
            rename(transaction, from, old, placed.job.id);
            add_to_message(
                placed.job, fmt::format("its id was {}, which another dead letter has", old)
            );
        }
    }
}

void run_diverting_duplicates(
    const StoreContext& context,
    DuplicateIds& duplicates,
    const TransactionRunner::Work& move,
    const TransactionRunner::WasCommitted& was_committed,
    Commit commit
) {
    // Defended catch: one row must not stop the page that it stands in.
    try {
        context.runner.run(move, was_committed, commit);
        return;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
    }
    duplicates.are_expected = true;
    context.runner.run(move, was_committed, commit);
    for (const std::string& id : duplicates.diverted) {
        context.log.write(
            schema::LogLevel::warn,
            "another job with this id stands where it was to go: it is a dead letter now",
            {{"job", id}}
        );
    }
}

namespace {

constexpr std::string_view kNameEmpty = R"sql(
    UPDATE {table} {by_id}
    SET ID_ = ?
    WHERE ID_ = '')sql";

void log_unreadable(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::span<const PlacedJob> jobs,
    schema::TimePoint now
) {
    std::vector<NewDeadLetter> dead;
    for (const PlacedJob& placed : jobs) {
        dead.push_back(
            {.job = &placed.job, .from = from, .reason = schema::TransitionReason::unreadable}
        );
    }
    log_unplanned_dead_letters(transaction, context, dead, now);
}

}  // namespace

void divert_unreadable(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::vector<Job> rows
) {
    std::vector<PlacedJob> dead;
    const schema::TimePoint now = context.clock.now();
    for (Job& row : rows) {
        const schema::Transition transition = schema::unreadable(row, now);
        dead.push_back(moved(std::move(row), transition));
    }
    give_free_ids(transaction, context, from, dead);
    move_rows(transaction, from, dead);
    log_unreadable(transaction, context, from, dead, now);
    for (const PlacedJob& placed : dead) {
        context.log.write(
            schema::LogLevel::error,
            "the row of a job cannot be read: it is a dead letter now",
            {{"job", placed.job.id},
             {"table", std::string(schema::table_of(from))},
             {"error", placed.job.exception_message}}
        );
    }
}

void name_nameless(Transaction& transaction, const StoreContext& context, JobPlace place) {
    const Dialect& dialect = transaction.dialect();
    const std::string_view table = schema::table_of(place);
    std::int64_t named = 0;
    if (!dialect.name_bytes.empty()) {
        named += transaction.execute(fmt::format(fmt::runtime(dialect.name_bytes), table));
    }
    const std::string id = context.ids.next();
    const std::string name_empty =
        fmt::format(kNameEmpty, fmt::arg("table", table), fmt::arg("by_id", dialect.by_id));
    named += transaction.execute(name_empty, {std::string_view(id)});
    if (named > 0) {
        context.log.write(
            schema::LogLevel::warn,
            "jobs had bytes or nothing for an id, which nobody finds: they have a text now",
            {{"table", std::string(table)}, {"jobs", fmt::to_string(named)}}
        );
    }
}

void quarantine(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    JobRows& page
) {
    if (!page.unreadable.empty()) {
        divert_unreadable(transaction, context, from, std::exchange(page.unreadable, {}));
    }
    if (page.is_any_nameless) {
        name_nameless(transaction, context, from);
    }
}

}  // namespace jobstrand::persistence
