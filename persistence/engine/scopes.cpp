#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/definition/job_definition.hpp"
#include "schema/job_place.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

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
    bool is_there = false;
    context_.runner.read([&](Connection& connection) {
        is_there = false;
        if (question.sql.empty() || !connection.dialect().has_engine) {
            return;
        }
        const std::vector<Value> parameters(question.times, std::string_view(question.id));
        connection.query({.sql = question.sql, .columns = 1}, parameters, [&](const Row&) {
            is_there = true;
        });
    });
    return is_there;
}

}  // namespace jobstrand::persistence
