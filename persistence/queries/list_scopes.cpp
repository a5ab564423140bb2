#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/job.hpp"
#include "schema/job_definition.hpp"
#include "schema/series.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// Each place gives a page of its own, so that no answer is larger than six pages, however many
// instances there are.
constexpr std::string_view kScopes = R"sql(
    SELECT SCOPED_ FROM ({executable}) EXECUTABLE_
    UNION SELECT SCOPED_ FROM ({timer}) TIMER_
    UNION SELECT SCOPED_ FROM ({suspended}) SUSPENDED_
    UNION SELECT SCOPED_ FROM ({dead}) DEAD_
    UNION SELECT SCOPED_ FROM ({external}) EXTERNAL_
    UNION SELECT SCOPED_ FROM ({suspensions}) WITHOUT_JOBS_
    ORDER BY SCOPED_
    LIMIT ?)sql";

constexpr std::string_view kScopesOfPlace = R"sql(
        SELECT DISTINCT {scope} AS SCOPED_
        FROM {table}
        WHERE {scope} > ?
        ORDER BY SCOPED_
        LIMIT ?)sql";

constexpr std::string_view kSuspendedScopes = R"sql(
        SELECT ID_ AS SCOPED_
        FROM JS_SUSPENSION
        WHERE SCOPE_ = '{name}' AND ID_ > ?
        ORDER BY ID_
        LIMIT ?)sql";

constexpr std::string_view kJobsOfScopes = R"sql(
    SELECT {scope}, COUNT(*)
    FROM {table}
    WHERE {scope} IN (...)
    GROUP BY {scope})sql";

constexpr std::string_view kSince = R"sql(
    SELECT ID_, SINCE_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = ? AND ID_ IN (...))sql";

/// Which part of a list of instances or definitions.
struct ScopePage {
    SuspensionScope scope;
    std::string_view after;
    std::size_t limit;
    bool only_suspended = false;
};

using Summaries = std::map<std::string, ScopeSummary, std::less<>>;

std::string scopes_of_place(SuspensionScope scope, JobPlace place, const Dialect& dialect) {
    return fmt::format(
        kScopesOfPlace,
        fmt::arg("scope", expression_for(column_of(scope), dialect)),
        fmt::arg("table", schema::table_of(place))
    );
}

std::string suspended_scopes(SuspensionScope scope) {
    return fmt::format(kSuspendedScopes, fmt::arg("name", name_of(scope)));
}

std::string all_scopes(SuspensionScope scope, const Dialect& dialect) {
    const auto of = [&](JobPlace place) { return scopes_of_place(scope, place, dialect); };
    return fmt::format(
        kScopes,
        fmt::arg("executable", of(JobPlace::executable)),
        fmt::arg("timer", of(JobPlace::timer)),
        fmt::arg("suspended", of(JobPlace::suspended)),
        fmt::arg("dead", of(JobPlace::dead_letter)),
        fmt::arg("external", of(JobPlace::external_worker)),
        fmt::arg("suspensions", suspended_scopes(scope))
    );
}

Summaries read_ids(Connection& connection, const ScopePage& part) {
    const std::string sql = part.only_suspended ? suspended_scopes(part.scope)
                                                : all_scopes(part.scope, connection.dialect());
    const Value rows = static_cast<std::int64_t>(part.limit);
    std::vector<Value> parameters{part.after, rows};
    if (!part.only_suspended) {
        for (std::size_t i = 0; i < schema::kJobPlaces.size(); ++i) {
            parameters.insert(parameters.end(), {Value{part.after}, rows});
        }
        parameters.push_back(rows);
    }
    Summaries page;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        const std::string id(row.text(0));
        page[id].id = id;
    });
    return page;
}

void count_jobs_of(
    Connection& connection,
    SuspensionScope scope,
    JobPlace place,
    std::span<const std::string_view> ids,
    Summaries& page
) {
    const std::string sql = fmt::format(
        kJobsOfScopes,
        fmt::arg("scope", expression_for(column_of(scope), connection.dialect())),
        fmt::arg("table", schema::table_of(place))
    );
    query_for_ids(connection, {.sql = sql, .columns = 2}, {.ids = ids}, [&](const Row& row) {
        if (const auto found = page.find(row.text(0)); found != page.end()) {
            found->second.jobs[place] = row.integer(1);
        }
    });
}

void read_since(
    Connection& connection,
    SuspensionScope scope,
    std::span<const std::string_view> ids,
    Summaries& page
) {
    const IdListParameters parameters{.before = {name_of(scope)}, .ids = ids};
    query_for_ids(connection, {.sql = kSince, .columns = 2}, parameters, [&](const Row& row) {
        if (const auto found = page.find(row.text(0)); found != page.end()) {
            found->second.suspended_since = row.time(1);
        }
    });
}

std::vector<ScopeSummary> list_scopes(const StoreContext& context, const ScopePage& part) {
    return context.runner.read([&](Connection& connection) {
        Summaries page = read_ids(connection, part);
        const std::vector<std::string_view> ids = keys_in(page);
        for (const JobPlace place : schema::kJobPlaces) {
            count_jobs_of(connection, part.scope, place, ids, page);
        }
        read_since(connection, part.scope, ids, page);
        std::vector<ScopeSummary> scopes;
        for (auto& [id, summary] : page) {
            scopes.push_back(std::move(summary));
        }
        return scopes;
    });
}

}  // namespace

std::vector<ScopeSummary>
SqlOperatorStore::scopes(SuspensionScope scope, std::string_view after, std::size_t limit) {
    return list_scopes(context_, {.scope = scope, .after = after, .limit = limit});
}

std::vector<ScopeSummary> SqlOperatorStore::suspended_scopes(
    SuspensionScope scope,
    std::string_view after,
    std::size_t limit
) {
    return list_scopes(
        context_, {.scope = scope, .after = after, .limit = limit, .only_suspended = true}
    );
}

namespace {

constexpr std::string_view kSuspensions = R"sql(
    SELECT ID_, SINCE_
    FROM JS_SUSPENSION
    WHERE ID_ >= ? AND SCOPE_ = ?
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kSuspension = R"sql(
    SELECT ID_, SINCE_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = ? AND ID_ = ?)sql";

constexpr std::string_view kSuspensionOfGroup = R"sql(
    SELECT P.ID_, P.SINCE_
    FROM JS_SERIES S
    JOIN JS_SUSPENSION P ON P.SCOPE_ = ? AND P.ID_ = S.GROUP_
    WHERE S.ID_ = ?)sql";

RowReader append_to(std::vector<Suspension>& found, SuspensionScope scope) {
    return [&found, scope](const Row& row) {
        found.push_back(
            {.scope = scope, .id = std::string(row.text(0)), .since = row.time(1).value()}
        );
    };
}

}  // namespace

std::vector<Suspension> SqlOperatorStore::suspensions(SuspensionScope scope) {
    std::vector<Suspension> found;
    const std::array<Value, 1> parameters{name_of(scope)};
    context_.runner.read([&](Connection& connection) {
        found.clear();
        query_in_pieces(
            connection, {.sql = kSuspensions, .columns = 2}, "", parameters, append_to(found, scope)
        );
    });
    return found;
}

std::vector<Suspension> SqlOperatorStore::suspensions_of(const schema::Job& job) {
    std::vector<Suspension> found;
    context_.runner.read([&](Connection& connection) {
        found.clear();
        const auto look = [&](std::string_view sql, SuspensionScope scope, std::string_view id) {
            if (!id.empty()) {
                const std::array<Value, 2> parameters{name_of(scope), id};
                connection.query({.sql = sql, .columns = 2}, parameters, append_to(found, scope));
            }
        };
        look(kSuspension, SuspensionScope::instance, job.process_instance_id);
        look(kSuspension, SuspensionScope::definition, job.process_definition_id);
        look(kSuspension, SuspensionScope::new_of_definition, job.process_definition_id);
        look(kSuspension, SuspensionScope::tenant, job.tenant_id);
        look(kSuspension, SuspensionScope::job, job.id);
        for (const schema::JobDefinitionName& kind : schema::kinds_of(job)) {
            for (const SuspensionScope scope :
                 {SuspensionScope::job_definition, SuspensionScope::new_of_job_definition}) {
                const std::size_t before = found.size();
                look(kSuspension, scope, schema::id_of(kind));
                if (found.size() > before) {
                    found.back().id = text_of(kind);
                }
            }
        }
        // Of a series, only the turn that carries it on waits.
        if (!job.repeat.empty()) {
            const std::string_view key = schema::series_key_of(job);
            look(kSuspension, SuspensionScope::series, key);
            look(kSuspensionOfGroup, SuspensionScope::timer_group, key);
        }
    });
    return found;
}

namespace {

constexpr std::string_view kInstance = R"sql(SELECT 1 FROM ACT_RU_EXECUTION WHERE ID_ = ?)sql";
constexpr std::string_view kDefinition = R"sql(SELECT 1 FROM ACT_RE_PROCDEF WHERE ID_ = ?)sql";

constexpr std::string_view kJobInPlace = R"sql(
    SELECT 1 FROM {table} WHERE ID_ = ? AND COALESCE(SCOPE_TYPE_, '') <> '{ours}')sql";

std::string question_about_job() {
    std::string sql;
    for (const schema::JobPlace place : schema::kJobPlaces) {
        sql += sql.empty() ? "" : " UNION ALL ";
        sql += fmt::format(
            kJobInPlace,
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("ours", schema::kOurScope)
        );
    }
    return sql;
}

/// What an engine is asked, and about whom.
struct EngineQuestion {
    std::string sql = {};  ///< Empty: it has nothing of that kind.
    std::string id = {};
    std::size_t times = 1;  ///< The id stands in it.
};

EngineQuestion question_about(SuspensionScope scope, std::string_view id) {
    switch (scope) {
        case SuspensionScope::instance:
            return {std::string(kInstance), std::string(id)};
        case SuspensionScope::definition:
        case SuspensionScope::new_of_definition:
            return {std::string(kDefinition), std::string(id)};
        case SuspensionScope::job_definition:
        case SuspensionScope::new_of_job_definition:
            return {std::string(kDefinition), schema::job_definition_named(id).definition};
        case SuspensionScope::job:
            return {question_about_job(), std::string(id), schema::kJobPlaces.size()};
        case SuspensionScope::series:
        case SuspensionScope::timer_group:
        case SuspensionScope::tenant:
            break;
    }
    return {};
}

}  // namespace

bool SqlOperatorStore::is_of_engine(SuspensionScope scope, std::string_view id) {
    const EngineQuestion question = question_about(scope, id);
    const std::vector<Value> parameters(question.times, std::string_view(question.id));
    return context_.runner.read([&](Connection& connection) {
        return !question.sql.empty() && connection.dialect().has_engine &&
               has_row(connection, question.sql, parameters);
    });
}

}  // namespace jobstrand::persistence
