#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

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
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids})) {
        connection.query({.sql = text, .columns = 2}, parameters, [&](const Row& row) {
            if (const auto found = page.find(row.text(0)); found != page.end()) {
                found->second.jobs[place] = row.integer(1);
            }
        });
    }
}

void read_since(
    Connection& connection,
    SuspensionScope scope,
    std::span<const std::string_view> ids,
    Summaries& page
) {
    for (const auto& [text, parameters] :
         cut_id_list(kSince, {.before = {name_of(scope)}, .ids = ids})) {
        connection.query({.sql = text, .columns = 2}, parameters, [&](const Row& row) {
            if (const auto found = page.find(row.text(0)); found != page.end()) {
                found->second.suspended_since = row.time(1);
            }
        });
    }
}

std::vector<ScopeSummary> list_scopes(const StoreContext& context, const ScopePage& part) {
    std::vector<ScopeSummary> scopes;
    context.runner.read([&](Connection& connection) {
        Summaries page = read_ids(connection, part);
        std::vector<std::string_view> ids;
        for (const auto& [id, summary] : page) {
            ids.emplace_back(id);
        }
        for (const JobPlace place : schema::kJobPlaces) {
            count_jobs_of(connection, part.scope, place, ids, page);
        }
        read_since(connection, part.scope, ids, page);
        scopes.clear();
        for (auto& [id, summary] : page) {
            scopes.push_back(std::move(summary));
        }
    });
    return scopes;
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

}  // namespace jobstrand::persistence
