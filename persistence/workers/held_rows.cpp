#include "persistence/workers/held_rows.hpp"

#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/workers/worker_groups.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;
using schema::JobPlace;

struct Asked {
    const HeldJob* job = nullptr;
    WorkerAnswer answer = WorkerAnswer::not_found;
};
using AskedJobs = std::unordered_map<std::string_view, Asked>;

bool is_held_by(std::string_view worker, const Job& row, const HeldJob& asked) {
    return row.lock_owner == worker && asked.revision.value_or(row.revision) == row.revision;
}

/// The rows that the worker holds, with an answer to each that was asked for.
std::vector<Job> held_page(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view worker,
    std::span<const std::string_view> ids,
    AskedJobs& asked,
    schema::TimePoint now
) {
    for (const std::string_view id : ids) {
        asked[id].answer = WorkerAnswer::not_found;  // Who begins anew may find less.
    }
    std::vector<Job> rows = rows_for_update(transaction, JobPlace::external_worker, ids);
    std::erase_if(rows, [&](const Job& row) {
        // To MySQL and MariaDB, an id with blanks behind it is the same; here it is another job's.
        const auto found = asked.find(row.id);
        if (found == asked.end()) {
            return true;
        }
        found->second.answer = WorkerAnswer::not_held;
        return !is_held_by(worker, row, *found->second.job);
    });
    for (Job& row : rows) {
        // Plain SQL may not have said it; without it a retry would come to the nodes.
        row.type = schema::kExternalWorkerType;
    }
    drop_without_group(transaction, worker, context.exclusive_over, now, rows);
    for (const Job& row : rows) {
        asked[row.id].answer = WorkerAnswer::done;
    }
    return rows;
}

/// The rows themselves are gone when they have been written.
std::vector<Fence> fences_of(const std::vector<Job>& rows) {
    std::vector<Fence> fences;
    for (const Job& row : rows) {
        fences.push_back({.id = row.id, .revision = row.revision, .claim = row.claim});
    }
    return fences;
}

/// Those that have a group: few, so that the others need not be copied.
std::vector<Job> exclusive_among(const std::vector<Job>& rows, ExclusiveOver over) {
    std::vector<Job> exclusive;
    std::ranges::copy_if(rows, std::back_inserter(exclusive), [over](const Job& row) {
        return !schema::exclusive_group(row, over).empty();
    });
    return exclusive;
}

}  // namespace

std::vector<WorkerAnswer> write_held(
    const StoreContext& context,
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::TimePoint now,
    Hold hold,
    const WriteHeld& write
) {
    AskedJobs asked;
    asked.reserve(jobs.size());
    std::vector<std::string_view> ids;
    ids.reserve(jobs.size());
    for (const HeldJob& job : jobs) {
        if (asked.emplace(job.id, Asked{.job = &job}).second) {
            ids.push_back(job.id);
        }
    }
    std::ranges::sort(ids);
    bool is_group_over = false;
    for (std::span<const std::string_view> rest = ids; !rest.empty();) {
        const auto part = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        std::vector<Fence> written;
        Twins twins;
        const auto write_page = [&](Transaction& transaction) {
            std::vector<Job> rows = held_page(transaction, context, worker, part, asked, now);
            written = fences_of(rows);
            if (rows.empty()) {
                return;
            }
            const std::vector<Job> exclusive = exclusive_among(rows, context.exclusive_over);
            write(transaction, std::move(rows), twins);
            if (hold == Hold::ends) {
                is_group_over |=
                    end_groups_of(transaction, worker, context.exclusive_over, now, exclusive);
            }
        };
        run_burying_twins(context, twins, write_page, [&](Transaction& transaction) {
            // A hold that goes on may be prolonged twice.
            return held_for_update(transaction, worker, fenced(written), JobPlace::external_worker)
                .empty();
        });
        rest = rest.subspan(part.size());
    }
    if (is_group_over) {
        (void)SqlExecutorStore(context).reset_expired_groups(now);
    }
    std::vector<WorkerAnswer> in_order;
    in_order.reserve(jobs.size());
    for (const HeldJob& job : jobs) {
        in_order.push_back(asked[job.id].answer);
    }
    return in_order;
}

}  // namespace jobstrand::persistence
