#include "persistence/rows/suspended_scopes.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/job_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kIsAnythingSuspended = R"sql(SELECT 1 FROM JS_SUSPENSION LIMIT 1)sql";

constexpr std::string_view kSuspended = R"sql(
    SELECT ID_
    FROM JS_SUSPENSION {by_id}
    WHERE SCOPE_ = ? AND ID_ IN (...)
    ORDER BY ID_
    {for_share})sql";

constexpr std::string_view kInSuspendedGroup = R"sql(
    SELECT S.ID_
    FROM JS_SERIES S
    JOIN JS_SUSPENSION P ON P.SCOPE_ = ? AND P.ID_ = S.GROUP_
    WHERE S.ID_ IN (...)
    {for_share})sql";

constexpr std::string_view kSuspend = R"sql(
    {insert_if_absent} INTO JS_SUSPENSION (SCOPE_, ID_, SINCE_)
    VALUES (?, ?, ?)
    {if_absent})sql";

constexpr std::string_view kMarkedJobs = R"sql(
    SELECT ID_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = ?
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kThere = R"sql(
    SELECT ID_
    FROM {table}
    WHERE ID_ IN (...))sql";

constexpr std::string_view kForgetMarks = R"sql(
    DELETE FROM JS_SUSPENSION
    WHERE SCOPE_ = ? AND ID_ IN (...))sql";

/// A job that was suspended while it ran moves in this order only, as long as it is marked: what is
/// not found in one of them cannot have come from a later one.
constexpr std::array kWhereMarkedJobsStand{
    JobPlace::executable,
    JobPlace::external_worker,
    JobPlace::timer,
    JobPlace::dead_letter,
    JobPlace::suspended,
};

constexpr std::int64_t kMarksAtOnce = 1'000;

using Ids = std::set<std::string_view>;

Ids ids_in(std::span<const Job* const> jobs, std::string Job::*scope) {
    Ids ids;
    for (const Job* job : jobs) {
        if (!(job->*scope).empty()) {
            ids.insert(job->*scope);
        }
    }
    return ids;
}

Ids series_in(std::span<const Job* const> jobs) {
    Ids keys;
    for (const Job* job : jobs) {
        if (!job->repeat.empty()) {
            keys.insert(schema::series_key_of(*job));
        }
    }
    return keys;
}

std::set<std::string> kinds_in(std::span<const Job* const> jobs) {
    std::set<std::string> kinds;
    for (const Job* job : jobs) {
        for (const schema::JobDefinitionName& kind : schema::kinds_of(*job)) {
            kinds.insert(schema::id_of(kind));
        }
    }
    return kinds;
}

using Suspended = std::set<std::string, std::less<>>;

Suspended select_ids(
    Transaction& transaction,
    std::string_view statement,
    SuspensionScope scope,
    const Ids& ids
) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        fmt::runtime(statement),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_share", dialect.for_share)
    );
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    Suspended suspended;
    const IdListParameters parameters{.before = {name_of(scope)}, .ids = list};
    query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        suspended.emplace(row.text(0));
    });
    return suspended;
}

void remove_those_there(Transaction& transaction, JobPlace place, Suspended& ids) {
    const std::string sql = fmt::format(kThere, fmt::arg("table", schema::table_of(place)));
    const std::vector<std::string_view> asked(ids.begin(), ids.end());
    std::vector<std::string> there;
    query_for_ids(transaction, {.sql = sql, .columns = 1}, {.ids = asked}, [&](const Row& row) {
        there.emplace_back(row.text(0));
    });
    for (const std::string& id : there) {
        ids.erase(id);
    }
}

}  // namespace

void forget_marks_of_ended_jobs(Transaction& transaction) {
    Suspended ended;
    const std::string_view scope = name_of(SuspensionScope::job);
    transaction.query(
        {.sql = kMarkedJobs, .columns = 1},
        {scope, kMarksAtOnce},
        [&](const Row& row) { ended.emplace(row.text(0)); }
    );
    for (const JobPlace place : kWhereMarkedJobsStand) {
        remove_those_there(transaction, place, ended);
    }
    const std::vector<std::string_view> ids(ended.begin(), ended.end());
    execute_for_ids(transaction, kForgetMarks, {.before = {scope}, .ids = ids});
}

std::string_view name_of(SuspensionScope scope) {
    switch (scope) {
        case SuspensionScope::instance:
            return "instance";
        case SuspensionScope::definition:
            return "definition";
        case SuspensionScope::series:
            return "series";
        case SuspensionScope::timer_group:
            return "timer group";
        case SuspensionScope::job_definition:
            return "job definition";
        case SuspensionScope::tenant:
            return "tenant";
        case SuspensionScope::new_of_definition:
            return "new of definition";
        case SuspensionScope::new_of_job_definition:
            return "new of job definition";
        case SuspensionScope::job:
            return "job";
    }
    return {};
}

std::string_view column_of(SuspensionScope scope) {
    switch (scope) {
        case SuspensionScope::instance:
            return "PROCESS_INSTANCE_ID_";
        case SuspensionScope::tenant:
            return "TENANT_ID_";
        case SuspensionScope::job:
            return "ID_";
        default:
            return "PROC_DEF_ID_";
    }
}

std::string suspension_id(SuspensionScope scope, std::string_view id) {
    return is_of_kind(scope) ? schema::id_of(schema::job_definition_named(id)) : std::string(id);
}

void mark_suspended(
    Transaction& transaction,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint since
) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kSuspend,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent)
    );
    const std::string row_id = suspension_id(scope, id);
    transaction.execute(sql, {name_of(scope), std::string_view(row_id), since});
}

// Nearly always nothing is suspended, and a page of jobs has hundreds of instances.
bool is_anything_suspended(Transaction& transaction) {
    return has_row(transaction, kIsAnythingSuspended);
}

SuspendedScopes
find_suspended(Transaction& transaction, std::span<const Job* const> jobs, SuspensionMoment when) {
    const Ids instances = ids_in(jobs, &Job::process_instance_id);
    const Ids definitions = ids_in(jobs, &Job::process_definition_id);
    const Ids tenants = ids_in(jobs, &Job::tenant_id);
    const Ids series = series_in(jobs);
    const bool asks = !instances.empty() || !definitions.empty() || !tenants.empty() ||
                      !series.empty() || (when == SuspensionMoment::change && !jobs.empty());
    if (!asks || !is_anything_suspended(transaction)) {
        return {};
    }
    const auto among = [&](SuspensionScope scope, const Ids& ids) {
        return select_ids(transaction, kSuspended, scope, ids);
    };
    const std::set<std::string> names = kinds_in(jobs);
    const Ids kinds(names.begin(), names.end());
    SuspendedScopes suspended{
        .instances = among(SuspensionScope::instance, instances),
        .definitions = among(SuspensionScope::definition, definitions),
        .series = among(SuspensionScope::series, series),
        .kinds = among(SuspensionScope::job_definition, kinds),
        .tenants = among(SuspensionScope::tenant, tenants),
        .spares_engine = transaction.dialect().has_engine,
    };
    suspended.series.merge(
        select_ids(transaction, kInSuspendedGroup, SuspensionScope::timer_group, series)
    );
    if (when == SuspensionMoment::insertion) {
        suspended.definitions.merge(among(SuspensionScope::new_of_definition, definitions));
        suspended.kinds.merge(among(SuspensionScope::new_of_job_definition, kinds));
    }
    if (when == SuspensionMoment::change) {
        suspended.jobs = among(SuspensionScope::job, ids_in(jobs, &Job::id));
    }
    return suspended;
}

bool SuspendedScopes::contain(const schema::Job& job) const {
    if (spares_engine && job.scope_type != schema::kOurScope) {
        return false;
    }
    const auto is_suspended = [this](const schema::JobDefinitionName& kind) {
        return kinds.contains(schema::id_of(kind));
    };
    return instances.contains(job.process_instance_id) ||
           definitions.contains(job.process_definition_id) || tenants.contains(job.tenant_id) ||
           jobs.contains(job.id) ||
           (!job.repeat.empty() && series.contains(schema::series_key_of(job))) ||
           (!kinds.empty() && std::ranges::any_of(schema::kinds_of(job), is_suspended));
}

}  // namespace jobstrand::persistence
