#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/shared/execution_counts.hpp"
#include "persistence/sql/sql_time.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Copies and the rows that they become, in the order of their ids.
struct Restored {
    std::vector<const DeadLetterCopy*> copies;
    std::vector<Job> rows;
};

Restored rows_of(std::span<const DeadLetterCopy> copies, schema::FreshIds& ids) {
    Restored restored;
    for (const DeadLetterCopy& copy : copies) {
        restored.copies.push_back(&copy);
    }
    // Of two copies of one job the first counts.
    std::ranges::stable_sort(restored.copies, {}, [](const DeadLetterCopy* copy) {
        return std::string_view(copy->job.id);
    });
    const auto twice = std::ranges::unique(restored.copies, {}, [](const DeadLetterCopy* copy) {
        return std::string_view(copy->job.id);
    });
    restored.copies.erase(twice.begin(), twice.end());
    for (const DeadLetterCopy* const copy : restored.copies) {
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
            const auto index = static_cast<std::size_t>(row - restored.rows.data());
            details.push_back(
                {.id = row->exception_stack_id, .text = restored.copies[index]->details}
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
std::vector<const Job*> free_rows(Transaction& transaction, const std::vector<Job>& rows) {
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

std::vector<bool> SqlOperatorStore::restore(std::span<const DeadLetterCopy> copies) {
    const Restored restored = rows_of(copies, context_.ids);
    std::vector<const Job*> added;
    const auto insert = [&](Transaction& transaction) {
        for (const Job& row : restored.rows) {
            require_storable_times(row, transaction.dialect());
        }
        added = free_rows(transaction, restored.rows);
        insert_long_texts(transaction, restored, added);
        ExecutionCounts counts(transaction);
        for (const Job* const row : added) {
            counts.enters(JobPlace::dead_letter, *row);
        }
        counts.write();
        insert_rows(transaction, JobPlace::dead_letter, added);
        log_restored(transaction, context_, added);
    };
    context_.runner.run(insert, [&](Transaction& transaction) {
        std::vector<std::string> ids;
        std::ranges::transform(added, std::back_inserter(ids), &Job::id);
        return is_any_in(transaction, JobPlace::dead_letter, ids);
    });
    std::set<const DeadLetterCopy*> are_added;
    for (const Job* const row : added) {
        are_added.insert(restored.copies[static_cast<std::size_t>(row - restored.rows.data())]);
    }
    std::vector<bool> answers;
    for (const DeadLetterCopy& copy : copies) {
        answers.push_back(are_added.contains(&copy));
    }
    return answers;
}

}  // namespace jobstrand::persistence
