#include "persistence/rows/unreadable_rows.hpp"

#include "persistence/rows/duplicate_ids.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_transition.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

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
