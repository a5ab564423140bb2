#include "persistence/candidates/page_candidates.hpp"

#include "persistence/candidates/job_candidates.hpp"
#include "persistence/candidates/served_condition.hpp"
#include "persistence/claims/claimed_jobs.hpp"
#include "persistence/claims/page_claims.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/suspended_scopes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Which jobs of a page one claim can hold: what else regards them needs their rows.
class PlainJobs {
public:
    PlainJobs(
        Transaction& transaction,
        const StoreContext& context,
        const ServedJobs& served,
        std::span<const Job> jobs
    )
        : by_row_(served.types_by_row),
          limits_(context.limits.current()),
          over_(context.exclusive_over) {
        std::vector<const Job*> all;
        all.reserve(jobs.size());
        for (const Job& job : jobs) {
            all.push_back(&job);
        }
        suspended_ = find_suspended(transaction, all);
    }

    [[nodiscard]] bool contain(const Job& job) const {
        const bool stands_alone = job.unique_key.empty() && job.series.empty() &&
                                  job.repeat.empty() && schema::exclusive_group(job, over_).empty();
        const bool begins_anew = job.lock_owner.empty() && job.lost_starts == 0;
        return stands_alone && begins_anew && !limits_->meets(job) && !suspended_.contain(job) &&
               !std::ranges::binary_search(by_row_, job.handler_type);
    }

private:
    std::span<const std::string> by_row_;
    std::shared_ptr<const schema::JobLimits> limits_;
    schema::ExclusiveOver over_;
    SuspendedScopes suspended_;
};

/// Reads them for update. Who has taken one by the row meanwhile, or has it in hand, keeps it.
std::vector<Job> still_free_for_update(Transaction& transaction, const std::vector<Job>& jobs) {
    std::map<std::string_view, int> revisions;
    for (const Job& job : jobs) {
        revisions.emplace(job.id, job.revision);
    }
    std::vector<Job> rows = untouched_for_update(transaction, JobPlace::executable, ids_of(jobs));
    std::erase_if(rows, [&](const Job& row) {
        const auto seen = revisions.find(row.id);
        return row.lock_expiration || seen == revisions.end() || seen->second != row.revision;
    });
    return rows;
}

/// The rows are locked, which costs more, because some of them have to be written.
PageCandidates with_locked_rows(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view behind
) {
    PageCandidates page;
    page.rows = oldest_candidates(transaction, served, limit.jobs, behind, limit.before);
    page.is_full = page.rows.is_any_nameless ||
                   page.rows.jobs.size() + page.rows.unreadable.size() >= limit.jobs;
    if (!page.rows.jobs.empty()) {
        page.last = page.rows.jobs.back().id;
    }
    page.is_end = page.rows.are_none();
    drop_claimed(transaction, page.rows.jobs);
    return page;
}

JobRows free_rows(
    Transaction& transaction,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string& from
) {
    if (from.empty()) {
        const ClaimedJobs claimed = all_claimed(transaction);
        return claimed.empty() ? oldest_rows(transaction, served, limit.jobs, from, limit.before)
                               : oldest_rows_beside(transaction, served, limit.jobs, claimed);
    }
    if (auto last = last_claimed_behind(transaction, from)) {
        from = std::move(*last);
    }
    return oldest_rows(transaction, served, limit.jobs, from, limit.before);
}

}  // namespace

PageCandidates page_candidates(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    const PageLimit& limit,
    std::string_view after
) {
    close_gate(transaction);
    std::string from(after);
    JobRows rows = free_rows(transaction, served, limit, from);
    if (rows.is_any_nameless || !rows.unreadable.empty()) {
        return with_locked_rows(transaction, served, limit, from);
    }
    std::vector<Job>& jobs = rows.jobs;
    use_served_names(jobs, served.types);  // Limits go by them.
    PageCandidates page{.is_end = jobs.empty(), .is_full = jobs.size() >= limit.jobs};
    page.is_full |= cut_to_bytes(transaction, jobs, limit.bytes);
    page.last = jobs.empty() ? std::string() : jobs.back().id;
    const PlainJobs plain(transaction, context, served, jobs);
    const auto is_plain = [&](const Job& job) { return plain.contain(job); };
    const auto others = std::ranges::stable_partition(jobs, is_plain);
    if (jobs.size() - others.size() >= claim.pages_from) {
        std::vector<Job> rest(
            std::make_move_iterator(others.begin()), std::make_move_iterator(others.end())
        );
        jobs.erase(others.begin(), others.end());
        page.plain = std::move(jobs);
        jobs = std::move(rest);
    }
    sort_by_id(jobs);
    page.rows.jobs = still_free_for_update(transaction, jobs);
    return page;
}

}  // namespace jobstrand::persistence
