#include "persistence/rows/duplicate_ids.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

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
    const TransactionRunner::WasCommitted& was_committed
) {
    // Defended catch: one row must not stop the page that it stands in.
    try {
        context.runner.run(move, was_committed);
        return;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
    }
    duplicates.are_expected = true;
    context.runner.run(move, was_committed);
    for (const std::string& id : duplicates.diverted) {
        context.log.write(
            schema::LogLevel::warn,
            "another job with this id stands where it was to go: it is a dead letter now",
            {{"job", id}}
        );
    }
}

}  // namespace jobstrand::persistence
