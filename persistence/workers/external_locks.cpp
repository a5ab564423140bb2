#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/worker_store.hpp"
#include "persistence/workers/sql_worker_store.hpp"
#include "schema/job.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::ExclusiveOver;
using schema::Job;
using schema::JobPlace;

namespace {

/// Whether a worker goes on to hold the jobs that it writes about.
enum class Hold { goes_on, ends };

/// Writes about rows that the worker holds, which the transaction has read for update in id order;
/// never none.
using WriteHeld = std::function<
    void(Transaction& transaction, std::vector<schema::Job> rows, DuplicateIds& duplicates)>;

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

/// Goes through the jobs that a worker says to hold, page by page; each page is a transaction.
/// Where its hold ends, so does that on the groups of exclusive ones. The answers are in the order
/// of the jobs.
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
        DuplicateIds duplicates;
        const auto write_page = [&](Transaction& transaction) {
            std::vector<Job> rows = held_page(transaction, context, worker, part, asked, now);
            written = fences_of(rows);
            if (rows.empty()) {
                return;
            }
            const std::vector<Job> exclusive = exclusive_among(rows, context.exclusive_over);
            write(transaction, std::move(rows), duplicates);
            if (hold == Hold::ends) {
                is_group_over |=
                    end_groups_of(transaction, worker, context.exclusive_over, now, exclusive);
            }
        };
        run_diverting_duplicates(context, duplicates, write_page, [&](Transaction& transaction) {
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

// REV_ stays, so that a revision that the worker knows goes on to hold.
constexpr std::string_view kExtend = R"sql(
    UPDATE ACT_RU_EXTERNAL_JOB {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...))sql";

constexpr std::string_view kRelease = R"sql(
    UPDATE ACT_RU_EXTERNAL_JOB {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = REV_ + 1
    WHERE ID_ IN (...))sql";

// There is no index on the locks: each claim would have to write it.
constexpr std::string_view kOfWorker = R"sql(
    SELECT ID_
    FROM ACT_RU_EXTERNAL_JOB {by_id}
    WHERE {behind} AND LOCK_OWNER_ = ?{of_tenant}
    ORDER BY ID_
    LIMIT ?)sql";

/// Runs a statement about rows that this transaction has read for update.
void update(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    const std::vector<Job>& rows
) {
    const std::string native =
        fmt::format(fmt::runtime(sql), fmt::arg("by_id", transaction.dialect().by_id));
    const std::vector<std::string_view> ids = ids_of(rows);
    execute_for_ids(transaction, native, {.before = before, .ids = ids});
}

std::vector<HeldJob> page_of_worker(
    Connection& connection,
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    std::string_view behind
) {
    const std::string sql = fmt::format(
        kOfWorker,
        fmt::arg("by_id", connection.dialect().by_id),
        fmt::arg("behind", ids_behind(behind)),
        fmt::arg("of_tenant", tenant ? " AND COALESCE(TENANT_ID_, '') = ?" : "")
    );
    std::vector<Value> parameters{behind, worker};
    if (tenant) {
        parameters.emplace_back(*tenant);
    }
    parameters.emplace_back(static_cast<std::int64_t>(schema::limits::kJobsPerTransaction));
    std::vector<HeldJob> jobs;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        jobs.push_back({.id = std::string(row.text(0))});
    });
    return jobs;
}

}  // namespace

std::vector<WorkerAnswer> SqlWorkerStore::extend_external(
    const LockClaim& claim,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
) {
    const auto extend = [&](Transaction& transaction, const std::vector<Job>& rows, DuplicateIds&) {
        // The groups first, so that the lock of none ends before that of its job.
        extend_groups_of(transaction, claim, context_.exclusive_over, rows);
        update(transaction, kExtend, {claim.until}, rows);
    };
    return write_held(context_, claim.owner, jobs, now, Hold::goes_on, extend);
}

std::vector<WorkerAnswer> SqlWorkerStore::release_external(
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
) {
    const auto release = [&](Transaction& transaction,
                             const std::vector<Job>& rows,
                             DuplicateIds&) { update(transaction, kRelease, {}, rows); };
    return write_held(context_, worker, jobs, now, Hold::ends, release);
}

std::int64_t SqlWorkerStore::release_all_external(
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    schema::TimePoint now
) {
    std::int64_t released = 0;
    std::vector<HeldJob> page;
    std::string behind;
    do {
        context_.runner.read([&](Connection& connection) {
            page = page_of_worker(connection, worker, tenant, behind);
        });
        const auto answers = release_external(worker, page, now);
        released += std::ranges::count(answers, WorkerAnswer::done);
        behind = page.empty() ? behind : page.back().id;
    } while (page.size() == schema::limits::kJobsPerTransaction);
    return released;
}

std::vector<WorkerAnswer> SqlWorkerStore::apply_external(
    std::string_view worker,
    std::span<const WorkerOutcome> outcomes,
    schema::TimePoint now
) {
    std::vector<HeldJob> jobs;
    std::unordered_map<std::string_view, const WorkerOutcome*> by_id;
    by_id.reserve(outcomes.size());
    jobs.reserve(outcomes.size());
    for (const WorkerOutcome& outcome : outcomes) {
        jobs.push_back(outcome.job);
        by_id.emplace(outcome.job.id, &outcome);
    }
    const auto write = [&](Transaction& transaction, std::vector<Job> rows, DuplicateIds& duplicates
                       ) {
        std::vector<schema::Transition> transitions;
        for (Job& row : rows) {
            const WorkerOutcome& outcome = *by_id.find(row.id)->second;
            if (outcome.reads_payload) {
                load_payloads(transaction, std::span(&row, 1));
            }
            transitions.push_back(outcome.transition(row));
        }
        MovePipeline moves(transaction, context_, JobPlace::external_worker, now);
        moves.decide(std::move(rows), std::move(transitions));
        moves.write(&duplicates);
    };
    return write_held(context_, worker, jobs, now, Hold::ends, write);
}

namespace {

constexpr std::string_view kLastLine = R"sql(
    SELECT HOSTNAME_, JOB_STATE_
    FROM ACT_HI_JOB_LOG {by_job}
    WHERE JOB_ID_ = ?
    ORDER BY ID_ DESC
    LIMIT 1)sql";

/// Whether the last that the log tells of the job is a failure that the worker has reported.
bool has_failed_last(Transaction& transaction, std::string_view worker, std::string_view id) {
    const std::string sql = fmt::format(
        kLastLine, fmt::arg("by_job", by_index(transaction.dialect(), "JS_IDX_JOB_LOG_JOB"))
    );
    bool has_failed = false;
    transaction.query({.sql = sql, .columns = 2}, {id}, [&](const Row& row) {
        has_failed = row.text(0) == worker &&
                     row.integer(1) == static_cast<std::int64_t>(schema::JobEvent::failed);
    });
    return has_failed;
}

/// Its wait is over already, and nobody has come for it yet.
bool lock_free_one(Transaction& transaction, const LockClaim& claim, Job row) {
    if (!row.lock_owner.empty() && row.lock_owner != claim.owner) {
        return false;
    }
    row.lock_owner = claim.owner;
    row.lock_expiration = claim.until;
    ++row.revision;
    update_row(transaction, JobPlace::external_worker, row);
    return true;
}

bool move_back(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::vector<Job> rows,
    const LockClaim& claim,
    schema::TimePoint now
) {
    const bool is_dead = from == JobPlace::dead_letter;
    if (is_dead && !take_back_keys(transaction, rows, now).empty()) {
        return false;
    }
    MovePipeline moves(transaction, context, from, now);
    moves.decide(std::move(rows), [&](const Job& row) {
        return is_dead ? schema::requeued(row, 1, std::nullopt, now) : schema::fired(row);
    });
    if (moves.leaving().size() != 1 || moves.leaving().front().place != JobPlace::external_worker) {
        return false;  // Nothing is written: it is suspended, or was never a worker's.
    }
    Job& job = moves.leaving().front().job;
    job.lock_owner = claim.owner;
    job.lock_expiration = claim.until;
    moves.write();
    return true;
}

bool take_back_within(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::string_view id,
    schema::TimePoint now
) {
    for (const JobPlace place :
         {JobPlace::external_worker, JobPlace::timer, JobPlace::dead_letter}) {
        std::vector<Job> rows = rows_for_update(transaction, place, std::span(&id, 1));
        if (rows.empty()) {
            continue;
        }
        const Job& row = rows.front();
        if (row.id != id || !schema::exclusive_group(row, context.exclusive_over).empty() ||
            !has_failed_last(transaction, claim.owner, id)) {
            return false;
        }
        return place == JobPlace::external_worker
                   ? lock_free_one(transaction, claim, std::move(rows.front()))
                   : move_back(transaction, context, place, std::move(rows), claim, now);
    }
    return false;
}

}  // namespace

bool SqlWorkerStore::take_back(const LockClaim& claim, std::string_view id, schema::TimePoint now) {
    bool is_taken = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            is_taken = take_back_within(transaction, context_, claim, id, now);
        },
        run_again  // What the worker holds already it holds again.
    );
    return is_taken;
}

}  // namespace jobstrand::persistence
