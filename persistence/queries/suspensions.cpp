#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "schema/definition/job_definition.hpp"
#include "schema/series/series.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kSuspensions = R"sql(
    SELECT ID_, SINCE_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = ?
    ORDER BY ID_)sql";

constexpr std::string_view kSuspension = R"sql(
    SELECT ID_, SINCE_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = ? AND ID_ = ?)sql";

constexpr std::string_view kSuspensionOfGroup = R"sql(
    SELECT P.ID_, P.SINCE_
    FROM JS_SERIES S
    JOIN JS_SUSPENSION P ON P.SCOPE_ = ? AND P.ID_ = S.GROUP_
    WHERE S.ID_ = ?)sql";

void append(
    Connection& connection,
    std::string_view sql,
    SuspensionScope scope,
    std::span<const Value> parameters,
    std::vector<Suspension>& found
) {
    connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
        found.push_back(
            {.scope = scope, .id = std::string(row.text(0)), .since = row.time(1).value()}
        );
    });
}

}  // namespace

std::vector<Suspension> SqlOperatorStore::suspensions(SuspensionScope scope) {
    std::vector<Suspension> found;
    const std::array<Value, 1> parameters{name_of(scope)};
    context_.runner.read([&](Connection& connection) {
        found.clear();
        append(connection, kSuspensions, scope, parameters, found);
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
                append(connection, sql, scope, parameters, found);
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

}  // namespace jobstrand::persistence
