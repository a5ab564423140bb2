#include "persistence/workers/held_rows.hpp"

#include "persistence/jobs/executor_moves.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/workers/worker_groups.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;
using schema::JobPlace;

using AskedJobs = std::map<std::string_view, const HeldJob*>;
using AnswersById = std::map<std::string, WorkerAnswer, std::less<>>;

struct HeldPage {
    std::vector<Job> rows;
    AnswersById answers;  ///< Who is not in here was not found.
};

bool is_held_by(std::string_view worker, const Job& row, const AskedJobs& asked) {
    // To MySQL and MariaDB, an id with blanks behind it is the same; here it is another job's.
    const auto found = asked.find(row.id);
    return found != asked.end() && row.lock_owner == worker &&
           found->second->revision.value_or(row.revision) == row.revision;
}

HeldPage held_page(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view worker,
    std::span<const std::string_view> ids,
    const AskedJobs& asked,
    schema::TimePoint now
) {
    HeldPage page{
        .rows = rows_for_update(transaction, JobPlace::external_worker, ids), .answers = {}};
    for (Job& row : page.rows) {
        page.answers.emplace(row.id, WorkerAnswer::not_held);
        // Plain SQL may not have said it; without it a retry would come to the nodes.
        row.type = schema::kExternalWorkerType;
    }
    std::erase_if(page.rows, [&](const Job& row) { return !is_held_by(worker, row, asked); });
    drop_without_group(transaction, worker, context.exclusive_over, now, page.rows);
    for (const Job& row : page.rows) {
        page.answers[row.id] = WorkerAnswer::done;
    }
    return page;
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
    for (const HeldJob& job : jobs) {
        asked.emplace(job.id, &job);
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, job] : asked) {
        ids.push_back(id);
    }
    AnswersById answers;
    bool is_group_over = false;
    for (std::span<const std::string_view> rest = ids; !rest.empty();) {
        const auto part = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        HeldPage page;
        std::vector<Fence> written;
        Twins twins;
        const auto write_page = [&](Transaction& transaction) {
            page = held_page(transaction, context, worker, part, asked, now);
            written = fences_of(page.rows);
            if (page.rows.empty()) {
                return;
            }
            const std::vector<Job> exclusive = exclusive_among(page.rows, context.exclusive_over);
            write(transaction, std::move(page.rows), twins);
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
        answers.merge(page.answers);
        rest = rest.subspan(part.size());
    }
    if (is_group_over) {
        (void)reset_expired_groups(context, now);
    }
    std::vector<WorkerAnswer> in_order;
    in_order.reserve(jobs.size());
    for (const HeldJob& job : jobs) {
        const auto found = answers.find(job.id);
        in_order.push_back(found == answers.end() ? WorkerAnswer::not_found : found->second);
    }
    return in_order;
}

}  // namespace jobstrand::persistence
