#include "persistence/jobs/claim_rows.hpp"
#include "persistence/jobs/served_condition.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/workers/sql_worker_store.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace jobstrand::persistence {

using schema::ExclusiveOver;
using schema::Job;
using schema::JobPlace;

namespace {

constexpr std::string_view kEnd = R"sql(
    UPDATE JS_EXCLUSIVE {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

/// As whom a worker holds groups. A worker may call itself what it likes, a node too; the groups of
/// that node are none of its.
std::string holder_of(std::string_view worker) {
    return fmt::format("worker {}", worker);
}

std::vector<std::string_view> groups_of(std::span<const Job> jobs, ExclusiveOver over) {
    std::set<std::string_view> groups;
    for (const Job& job : jobs) {
        if (const std::string_view group = schema::exclusive_group(job, over); !group.empty()) {
            groups.insert(group);
        }
    }
    return {groups.begin(), groups.end()};
}

}  // namespace

std::size_t take_free_groups(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    std::vector<Job>& jobs
) {
    const std::vector<std::string_view> wanted = groups_of(jobs, over);
    if (wanted.empty()) {
        return 0;
    }
    const HeldGroups held = find_held(transaction, wanted);
    GroupCounts taken;
    for (const std::string_view group : wanted) {
        if (!held.contain(group)) {
            taken.emplace(group, 1);
        }
    }
    const std::string holder = holder_of(claim.owner);
    (void)take_groups(transaction, {holder, claim.until}, taken);
    // Decided before any job moves, because the names are borrowed from the jobs.
    std::vector<bool> are_in;
    for (const Job& job : jobs) {
        const std::string_view name = schema::exclusive_group(job, over);
        const auto group = taken.find(name);
        are_in.push_back(name.empty() || (group != taken.end() && group->second-- > 0));
    }
    std::size_t next = 0;
    return std::erase_if(jobs, [&](const Job&) { return !are_in[next++]; });
}

void drop_without_group(
    Transaction& transaction,
    std::string_view worker,
    ExclusiveOver over,
    schema::TimePoint now,
    std::vector<Job>& rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    if (groups.empty()) {
        return;
    }
    const std::vector<std::string> held = held_groups(transaction, holder_of(worker), groups);
    std::erase_if(rows, [&](const Job& row) {
        const std::string_view group = schema::exclusive_group(row, over);
        // The group's lock has ended with the job's: another one may have it although nobody has
        // looked for this job since.
        return !group.empty() && (!is_locked(row, now) || !std::ranges::binary_search(held, group));
    });
}

void extend_groups_of(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    std::span<const Job> rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    const std::string holder = holder_of(claim.owner);
    if (!groups.empty() && !extend_groups(transaction, {holder, claim.until}, groups).empty()) {
        throw DbError(DbErrorKind::conflict, "a group was lost while it was held");
    }
}

bool end_groups_of(
    Transaction& transaction,
    std::string_view worker,
    ExclusiveOver over,
    schema::TimePoint now,
    std::span<const Job> rows
) {
    const std::vector<std::string_view> groups = groups_of(rows, over);
    const std::string holder = holder_of(worker);
    const std::string sql = fmt::format(kEnd, fmt::arg("by_id", transaction.dialect().by_id));
    const IdListParameters parameters{
        .before = {now - std::chrono::milliseconds(1)}, .ids = groups, .after = {holder}};
    execute_for_ids(transaction, sql, parameters);
    return !groups.empty();
}

namespace {

// A claim by priority names the ids, which kFirst has found without locking what it sorted.
constexpr std::string_view kFree = R"sql(
    SELECT {columns}
    FROM ACT_RU_EXTERNAL_JOB {by_id}
    WHERE {behind} AND {conditions} {ids}
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kFirst = R"sql(
    SELECT ID_, PRIORITY_
    FROM ACT_RU_EXTERNAL_JOB
    WHERE {behind} AND {conditions}
    ORDER BY PRIORITY_ DESC, ID_
    LIMIT ?)sql";

constexpr std::string_view kConditions =
    "(LOCK_EXP_TIME_ IS NULL OR LOCK_EXP_TIME_ < ?) AND HANDLER_TYPE_ IN ({topics}) "
    "{of_tenant} {of_tenants} {of_scope} {of_candidate} {of_instances} {and_ours}";

constexpr std::string_view kBehindInPriority = "(PRIORITY_ < ? OR (PRIORITY_ = ? AND ID_ > ?))";

constexpr std::string_view kOfTenant = "AND COALESCE(TENANT_ID_, '') = ?";
constexpr std::string_view kOfTenants = "AND COALESCE(TENANT_ID_, '') IN ({})";
constexpr std::string_view kOfScope = "AND SCOPE_TYPE_ = ?";
constexpr std::string_view kOfInstances = "AND {instance} IS NOT NULL";

/// Whether a name, between two line breaks, is in a list of names.
constexpr std::string_view kHasName = "{position_in}({list}, ?) > 0";

/// Jobs of one SELECT at most, whatever a worker asks for.
constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

/// What was looked at last.
struct ExternalPosition {
    std::string id = {};
    std::int64_t priority = 0;
};

std::string marks_for(std::size_t count) {
    std::string marks;
    for (std::size_t i = 0; i < count; ++i) {
        marks += i == 0 ? "?" : ", ?";
    }
    return marks;
}

/// Of free jobs that are wanted, wherever they stand.
struct WantedCondition {
    std::string sql;
    std::vector<Value> parameters;
    std::deque<std::string> texts = {};  ///< Which the parameters borrow.
};

/// That somebody, or one of these groups, is among the candidates of a job. Adds the parameters.
std::string
of_candidate(const WantedCandidate& candidate, WantedCondition& condition, const Dialect& dialect) {
    std::string sql;
    const auto add = [&](std::string_view column, std::string_view name) {
        condition.parameters.emplace_back(
            std::string_view(condition.texts.emplace_back(fmt::format("\n{}\n", name)))
        );
        const std::string list = fmt::format(fmt::runtime(dialect.between_breaks), column);
        sql += sql.empty() ? "AND (" : " OR ";
        sql += fmt::format(
            kHasName, fmt::arg("position_in", dialect.position_in), fmt::arg("list", list)
        );
    };
    if (!candidate.user.empty()) {
        add("CANDIDATE_USERS_", candidate.user);
    }
    for (const std::string& group : candidate.groups) {
        add("CANDIDATE_GROUPS_", group);
    }
    return sql.empty() ? "AND 1 = 0" : sql + ')';
}

WantedCondition
condition_of(const WantedJobs& wanted, schema::TimePoint now, const Dialect& dialect) {
    const std::size_t topics = padded_list_size(wanted.topics.size());
    WantedCondition condition{.sql = {}, .parameters = {now}};
    std::vector<Value>& parameters = condition.parameters;
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
    const std::string candidate =
        wanted.candidate ? of_candidate(*wanted.candidate, condition, dialect) : "";
    const std::string of_instances = fmt::format(
        kOfInstances, fmt::arg("instance", expression_for("PROCESS_INSTANCE_ID_", dialect))
    );
    const std::string of_tenants = fmt::format(kOfTenants, marks_for(wanted.tenants.size()));
    condition.sql = fmt::format(
        kConditions,
        fmt::arg("topics", marks_for(topics)),
        fmt::arg("of_tenant", wanted.tenant ? kOfTenant : ""),
        fmt::arg("of_tenants", wanted.tenants.empty() ? "" : of_tenants),
        fmt::arg("of_scope", wanted.scope_type ? kOfScope : ""),
        fmt::arg("of_candidate", candidate),
        fmt::arg("of_instances", wanted.are_of_instances ? of_instances : ""),
        fmt::arg("and_ours", and_ours(dialect))
    );
    return condition;
}

JobRows free_rows(
    Transaction& transaction,
    const WantedCondition& condition,
    std::size_t limit,
    std::string_view behind,
    std::span<const ExternalPosition> only = {}
) {
    std::vector<Value> parameters{behind};
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    const std::size_t ids = only.empty() ? 0 : padded_list_size(only.size());
    for (std::size_t i = 0; i < ids; ++i) {
        parameters.emplace_back(std::string_view(only[std::min(i, only.size() - 1)].id));
    }
    parameters.emplace_back(static_cast<std::int64_t>(std::min(limit, kPage)));
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kFree,
        fmt::arg("columns", selected_of(JobPlace::external_worker, dialect)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("behind", ids_behind(behind)),
        fmt::arg("conditions", condition.sql),
        fmt::arg("ids", ids == 0 ? "" : fmt::format("AND ID_ IN ({})", marks_for(ids))),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    JobRows rows;
    rows.jobs.reserve(std::min(limit, kPage));
    transaction.query(
        {.sql = sql, .columns = fields_of(JobPlace::external_worker).size()},
        parameters,
        append_to(rows, JobPlace::external_worker)
    );
    return rows;
}

// Defended catch: what SQLite stores that is no number is quarantined when the row is read.
std::int64_t priority_in(const Row& row) {
    try {
        return row.is_null(1) ? 0 : row.integer(1);
    } catch (const DbError&) {
        return 0;
    }
}

/// The next in the order of their priorities.
std::vector<ExternalPosition> first_in_priority(
    Transaction& transaction,
    const WantedCondition& condition,
    std::size_t limit,
    const std::optional<ExternalPosition>& behind
) {
    std::vector<Value> parameters;
    if (behind) {
        parameters = {behind->priority, behind->priority, std::string_view(behind->id)};
    }
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    const std::string sql = fmt::format(
        kFirst,
        fmt::arg("behind", behind ? kBehindInPriority : "ID_ IS NOT NULL"),
        fmt::arg("conditions", condition.sql)
    );
    std::vector<ExternalPosition> found;
    transaction.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
        found.push_back({.id = std::string(row.text(0)), .priority = priority_in(row)});
    });
    return found;
}

/// What was found, and where it goes on.
struct FoundRows {
    JobRows rows;
    std::optional<ExternalPosition> last;  ///< The last that was looked at.
    bool is_end = false;
};

FoundRows find_oldest(
    Transaction& transaction,
    const WantedCondition& condition,
    std::size_t limit,
    const std::optional<ExternalPosition>& behind
) {
    FoundRows found{
        .rows = free_rows(transaction, condition, limit, behind ? behind->id : ""), .last = behind};
    if (!found.rows.jobs.empty()) {
        found.last = {.id = found.rows.jobs.back().id};
    }
    found.is_end = found.rows.are_none();
    return found;
}

// Workers that look at the same time see the same, and pass over what another has just locked: so
// more is looked at than is wanted.
FoundRows find_highest(
    Transaction& transaction,
    const WantedCondition& condition,
    std::size_t limit,
    const std::optional<ExternalPosition>& behind
) {
    const std::size_t wanted = std::min(limit, kPage);
    const auto first =
        first_in_priority(transaction, condition, std::min(2 * wanted + 50, kPage), behind);
    FoundRows found{.rows = {}, .last = behind, .is_end = first.empty()};
    if (first.empty()) {
        return found;
    }
    found.rows = free_rows(transaction, condition, first.size(), "", first);
    std::vector<Job>& jobs = found.rows.jobs;
    std::ranges::sort(jobs, [](const Job& one, const Job& other) {
        return one.priority == other.priority ? one.id < other.id : one.priority > other.priority;
    });
    if (jobs.size() > wanted) {
        jobs.resize(wanted);
    }
    found.last =
        jobs.empty() ? first.back() : ExternalPosition{jobs.back().id, jobs.back().priority};
    return found;
}

/// One transaction's part of an acquisition.
struct ClaimedPage {
    std::vector<Job> jobs = {};
    std::optional<ExternalPosition> last = {};  ///< The last that was looked at.
    bool is_end = false;
    std::size_t waiting = 0;  ///< Left out, because their group is held.
};

}  // namespace

std::vector<Job> SqlWorkerStore::acquire_external(
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
    DuplicateIds duplicates;
    std::optional<ExternalPosition> behind;
    std::size_t waiting = 0;
    bool is_shared = false;
    const auto claim_page = [&](Transaction& transaction) {
        const WantedCondition condition = condition_of(wanted, now, transaction.dialect());
        const auto find = wanted.by_priority ? find_highest : find_oldest;
        FoundRows found = find(transaction, condition, limit.jobs, behind);
        JobRows& rows = found.rows;
        page = {.last = std::move(found.last), .is_end = found.is_end};
        quarantine(transaction, context_, kPlace, rows);
        move_suspended(transaction, context_, kPlace, rows.jobs, duplicates);
        (void)cut_to_bytes(transaction, rows.jobs, limit.bytes);
        page.waiting = take_free_groups(transaction, claim, context_.exclusive_over, rows.jobs);
        page.is_end = !claim_rows(transaction, kPlace, claim, rows.jobs) || page.is_end;
        use_served_names(rows.jobs, wanted.topics);
        load_payloads(transaction, rows.jobs);
        recall_series(transaction, rows.jobs);
        is_shared = transaction.dialect().has_engine;
        page.jobs = std::move(rows.jobs);
    };
    // A page of which nothing is left in the end is not the end of the table.
    do {
        run_diverting_duplicates(context_, duplicates, claim_page, [&](Transaction& transaction) {
            return !held_for_update(transaction, claim.owner, fenced(page.jobs), kPlace).empty();
        });
        behind = page.last;
        waiting += page.waiting;
    } while (page.jobs.empty() && !page.is_end);
    if (waiting > 0) {
        // Of a holder that is gone: the next call finds its group free.
        (void)SqlExecutorStore(context_).reset_expired_groups(now);
    }
    if (is_shared) {
        log_moved_by_engine(context_.log, page.jobs, now);
    }
    return std::move(page.jobs);
}

}  // namespace jobstrand::persistence
