#include "persistence/candidates/served_names.hpp"
#include "persistence/jobs/claim_rows.hpp"
#include "persistence/jobs/executor_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/payload_page.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/workers/worker_groups.hpp"
#include "persistence/workers/worker_moves.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kFree = R"sql(
    SELECT {columns}
    FROM ACT_RU_EXTERNAL_JOB {by_id}
    WHERE {behind} AND (LOCK_EXP_TIME_ IS NULL OR LOCK_EXP_TIME_ < ?) AND HANDLER_TYPE_ IN (...)
        {of_tenant} {of_tenants} {of_scope} {of_instances} {and_ours}
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kOfTenant = "AND COALESCE(TENANT_ID_, '') = ?";
constexpr std::string_view kOfTenants = "AND COALESCE(TENANT_ID_, '') IN ({})";
constexpr std::string_view kOfScope = "AND SCOPE_TYPE_ = ?";
constexpr std::string_view kOfInstances = "AND {instance} IS NOT NULL";

/// Jobs of one SELECT at most, whatever a worker asks for.
constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

/// Empty: whatever their tenants are.
std::string of_tenants(std::span<const std::string> tenants) {
    std::string marks;
    for (std::size_t i = 0; i < tenants.size(); ++i) {
        marks += i == 0 ? "?" : ", ?";
    }
    return tenants.empty() ? "" : fmt::format(kOfTenants, marks);
}

JobRows free_rows(
    Transaction& transaction,
    const WantedJobs& wanted,
    std::size_t limit,
    std::string_view behind,
    schema::TimePoint now
) {
    const std::size_t topics = padded_list_size(wanted.topics.size());
    std::vector<Value> parameters{behind, now};
    for (std::size_t i = 0; i < topics; ++i) {
        const std::size_t topic = std::min(i, wanted.topics.size() - 1);
        parameters.emplace_back(std::string_view(wanted.topics[topic]));
    }
    if (wanted.tenant) {
        parameters.emplace_back(*wanted.tenant);
    }
    for (const std::string& tenant : wanted.tenants) {
        parameters.emplace_back(std::string_view(tenant));
    }
    if (wanted.scope_type) {
        parameters.emplace_back(*wanted.scope_type);
    }
    parameters.emplace_back(static_cast<std::int64_t>(std::min(limit, kPage)));
    const Dialect& dialect = transaction.dialect();
    const std::string of_instances = fmt::format(
        kOfInstances, fmt::arg("instance", expression_for("PROCESS_INSTANCE_ID_", dialect))
    );
    const std::string sql = fmt::format(
        kFree,
        fmt::arg("columns", selected_of(JobPlace::external_worker, dialect)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("behind", ids_behind(behind)),
        fmt::arg("of_tenant", wanted.tenant ? kOfTenant : ""),
        fmt::arg("of_tenants", of_tenants(wanted.tenants)),
        fmt::arg("of_scope", wanted.scope_type ? kOfScope : ""),
        fmt::arg("of_instances", wanted.are_of_instances ? of_instances : ""),
        fmt::arg("and_ours", and_ours(dialect)),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    JobRows rows;
    transaction.query(
        {.sql = with_list_size(sql, topics),
         .columns = fields_of(JobPlace::external_worker).size()},
        parameters,
        append_to(rows, JobPlace::external_worker)
    );
    return rows;
}

/// One transaction's part of an acquisition.
struct ClaimedPage {
    std::vector<Job> jobs = {};
    std::string last;  ///< The last id that was looked at.
    bool is_end = false;
    std::size_t waiting = 0;  ///< Left out, because their group is held.
};

}  // namespace

std::vector<Job> acquire_external(
    const StoreContext& context,
    const LockClaim& claim,
    const WantedJobs& wanted,
    PageLimit limit,
    schema::TimePoint now
) {
    if (wanted.topics.empty() || limit.jobs == 0) {
        return {};
    }
    constexpr JobPlace kPlace = JobPlace::external_worker;
    ClaimedPage page;
    Twins twins;
    std::string behind;
    std::size_t waiting = 0;
    const auto claim_page = [&](Transaction& transaction) {
        JobRows rows = free_rows(transaction, wanted, limit.jobs, behind, now);
        page = {
            .last = rows.jobs.empty() ? behind : rows.jobs.back().id, .is_end = rows.are_none()};
        set_aside(transaction, context, kPlace, rows);
        move_suspended(transaction, context, kPlace, rows.jobs, twins);
        (void)cut_to_bytes(transaction, rows.jobs, limit.bytes);
        page.waiting = take_free_groups(transaction, claim, context.exclusive_over, rows.jobs);
        page.is_end = !claim_rows(transaction, kPlace, claim, rows.jobs) || page.is_end;
        use_served_names(rows.jobs, wanted.topics);
        load_payloads(transaction, rows.jobs);
        page.jobs = std::move(rows.jobs);
    };
    // A page of which nothing is left in the end is not the end of the table.
    do {
        run_burying_twins(context, twins, claim_page, [&](Transaction& transaction) {
            return !held_for_update(transaction, claim.owner, fenced(page.jobs), kPlace).empty();
        });
        behind = page.last;
        waiting += page.waiting;
    } while (page.jobs.empty() && !page.is_end);
    if (waiting > 0) {
        // Of a holder that is gone: the next call finds its group free.
        (void)reset_expired_groups(context, now);
    }
    return std::move(page.jobs);
}

}  // namespace jobstrand::persistence
