#include "persistence/jobs/named_jobs.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/ensure.hpp"
#include "schema/job_transition.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Jobs that come from elsewhere, with all that is stored of them, and those that have gone there.
namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

/// Copies and the rows that they become, in the order of their ids.
struct Restored {
    std::vector<const JobCopy*> copies;
    std::vector<Job> rows;

    [[nodiscard]] const JobCopy& copy_of(const Job& row) const {
        return *copies[static_cast<std::size_t>(&row - rows.data())];
    }
};

Restored rows_of(std::span<const JobCopy> copies, schema::FreshIds& ids) {
    Restored restored;
    for (const JobCopy& copy : copies) {
        restored.copies.push_back(&copy);
    }
    // Of two copies of one job the first counts.
    std::ranges::stable_sort(restored.copies, {}, [](const JobCopy* copy) {
        return std::string_view(copy->job.id);
    });
    const auto twice = std::ranges::unique(restored.copies, {}, [](const JobCopy* copy) {
        return std::string_view(copy->job.id);
    });
    restored.copies.erase(twice.begin(), twice.end());
    for (const JobCopy* const copy : restored.copies) {
        Job row = copy->job;
        row.revision = 1;
        row.exception_stack_id = copy->details.empty() ? "" : ids.next();
        row.custom_values_id = is_too_long_for_row(row.payload) ? ids.next() : "";
        restored.rows.push_back(std::move(row));
    }
    return restored;
}

/// What their rows refer to, before them.
void insert_long_texts(
    Transaction& transaction,
    const Restored& restored,
    const std::vector<const Job*>& rows
) {
    std::vector<ByteArray> payloads;
    std::vector<ByteArray> details;
    for (const Job* const row : rows) {
        if (is_stored_apart(*row)) {
            payloads.push_back({.id = row->custom_values_id, .text = row->payload});
        }
        if (!row->exception_stack_id.empty()) {
            details.push_back(
                {.id = row->exception_stack_id, .text = restored.copy_of(*row).details}
            );
        }
    }
    insert_byte_arrays(transaction, kPayloadName, payloads);
    insert_byte_arrays(transaction, kStackTraceName, details);
}

void require_storable_times(const Job& row, const Dialect& dialect) {
    require_storable(row.due_date, dialect);
    require_storable(row.create_time, dialect);
    require_storable(row.failed_time, dialect);
}

/// Returns those whose ids are free.
std::vector<const Job*> rows_with_free_ids(Transaction& transaction, const std::vector<Job>& rows) {
    std::set<std::string, std::less<>> taken;
    for (JobAddress& found : find_all(transaction, ids_of(rows))) {
        taken.insert(std::move(found.id));
    }
    std::vector<const Job*> free;
    for (const Job& row : rows) {
        if (!taken.contains(row.id)) {
            free.push_back(&row);
        }
    }
    return free;
}

/// Leaves out those of whom nothing is suspended. What is, is not activated before the transaction
/// ends.
void keep_suspended(
    Transaction& transaction,
    const Restored& restored,
    JobPlace place,
    std::vector<const Job*>& rows
) {
    const bool is_any_asked = place == JobPlace::suspended ||
                              std::ranges::any_of(restored.copies, [](const JobCopy* copy) {
                                  return copy->must_be_suspended;
                              });
    if (!is_any_asked) {
        return;
    }
    const SuspendedScopes suspended = find_suspended(transaction, rows, SuspensionMoment::change);
    std::erase_if(rows, [&](const Job* row) {
        return (place == JobPlace::suspended || restored.copy_of(*row).must_be_suspended) &&
               !suspended.contain(*row);
    });
}

/// Gives them the unique keys that they had. Leaves out those whose key another job has.
void take_keys(
    Transaction& transaction,
    const Restored& restored,
    JobPlace place,
    std::vector<const Job*>& rows,
    schema::TimePoint now
) {
    std::vector<Job> with_key;
    std::vector<KeyClaim> for_a_period;
    for (const Job* const row : rows) {
        const JobCopy& copy = restored.copy_of(*row);
        const bool holds =
            copy.has_key && (place == JobPlace::suspended || copy.key_until.value_or(now) > now);
        if (row->unique_key.empty() || !holds) {
            continue;
        }
        with_key.push_back(*row);
        if (copy.key_until) {
            for_a_period.push_back({.key = row->unique_key, .job = row->id, .until = copy.key_until}
            );
        }
    }
    if (with_key.empty()) {
        return;
    }
    const std::vector<std::string> refused = take_back_keys(transaction, with_key, now);
    const auto is_refused = [&](std::string_view id) {
        return std::ranges::find(refused, id) != refused.end();
    };
    std::erase_if(rows, [&](const Job* row) { return is_refused(row->id); });
    std::erase_if(for_a_period, [&](const KeyClaim& claim) { return is_refused(claim.job); });
    if (!for_a_period.empty()) {
        pass_keys(transaction, for_a_period);
    }
}

void log_restored(
    Transaction& transaction,
    const StoreContext& context,
    const std::vector<const Job*>& added
) {
    if (added.empty() || !context.history.rules().incidents) {
        return;
    }
    std::vector<NewDeadLetter> dead;
    for (const Job* const row : added) {
        dead.push_back({.job = row});
    }
    log_dead_letters(transaction, context, dead, context.clock.now());
}

}  // namespace

std::vector<bool> SqlOperatorStore::restore(JobPlace place, std::span<const JobCopy> copies) {
    JOBSTRAND_ENSURE(place == JobPlace::suspended || place == JobPlace::dead_letter);
    const Restored restored = rows_of(copies, context_.ids);
    std::vector<const Job*> added;
    const auto insert = [&](Transaction& transaction) {
        for (const Job& row : restored.rows) {
            require_storable_times(row, transaction.dialect());
        }
        added = rows_with_free_ids(transaction, restored.rows);
        const schema::TimePoint now = context_.clock.now();
        forget_marks_of_ended_jobs(transaction);
        keep_suspended(transaction, restored, place, added);
        take_keys(transaction, restored, place, added, now);
        insert_long_texts(transaction, restored, added);
        ExecutionCounts counts(transaction);
        for (const Job* const row : added) {
            counts.enters(place, *row);
        }
        counts.write();
        insert_rows(transaction, place, added);
        for (const Job* const row : added) {
            if (restored.copy_of(*row).is_suspended_alone) {
                mark_suspended(transaction, SuspensionScope::job, row->id, now);
            }
        }
        if (place == JobPlace::dead_letter) {
            log_restored(transaction, context_, added);
        }
    };
    context_.runner.run(insert, [&](Transaction& transaction) {
        std::vector<std::string> ids;
        std::ranges::transform(added, std::back_inserter(ids), &Job::id);
        return is_any_in(transaction, place, ids);
    });
    std::set<const JobCopy*> are_added;
    for (const Job* const row : added) {
        are_added.insert(&restored.copy_of(*row));
    }
    std::vector<bool> answers;
    for (const JobCopy& copy : copies) {
        answers.push_back(are_added.contains(&copy));
    }
    return answers;
}

namespace {

/// Frees their unique keys, whatever they are held for.
void withdraw_keys_of(Transaction& transaction, const std::vector<Job>& rows) {
    std::vector<KeyClaim> claims;
    for (const Job& row : rows) {
        if (!row.unique_key.empty()) {
            claims.push_back({.key = row.unique_key, .job = row.id});
        }
    }
    std::ranges::sort(claims, {}, &KeyClaim::key);
    withdraw_keys(transaction, claims);
}

}  // namespace

std::vector<JobAnswer>
SqlOperatorStore::remove_as_read(JobPlace place, std::span<const Job> jobs, schema::TimePoint now) {
    std::map<std::string_view, int> revisions;
    for (const Job& job : jobs) {
        revisions.emplace(job.id, job.revision);
    }
    std::vector<std::string> ids;
    std::ranges::transform(jobs, std::back_inserter(ids), &Job::id);
    return change_named_jobs(context_, place, ids, [&](Transaction& transaction, auto page) {
        std::vector<Job> rows = rows_to_change(transaction, place, page);
        std::erase_if(rows, [&](const Job& row) {
            const auto read = revisions.find(row.id);
            return is_locked(row, now) || read == revisions.end() || row.revision != read->second;
        });
        AnswersById answers;
        for (const Job& row : rows) {
            answers.emplace(row.id, JobAnswer::done);
        }
        withdraw_keys_of(transaction, rows);
        MovePipeline moves(transaction, context_, place, now);
        moves.decide(std::move(rows), schema::removed);
        moves.write();
        return answers;
    });
}

}  // namespace jobstrand::persistence
