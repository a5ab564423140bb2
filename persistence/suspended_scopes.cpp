#include "persistence/suspended_scopes.hpp"

#include "persistence/dialect.hpp"
#include "persistence/id_lists.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;

constexpr std::string_view kIsAnythingSuspended = R"sql(SELECT 1 FROM JS_SUSPENSION LIMIT 1)sql";

constexpr std::string_view kSuspended = R"sql(
    SELECT ID_
    FROM JS_SUSPENSION {by_id}
    WHERE SCOPE_ = ? AND ID_ IN (...)
    ORDER BY ID_
    {for_share})sql";

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

// Nearly always nothing is suspended, and a page of jobs has hundreds of instances.
bool is_anything_suspended(Transaction& transaction) {
    bool is_any = false;
    transaction.query({.sql = kIsAnythingSuspended, .columns = 1}, {}, [&](const Row&) {
        is_any = true;
    });
    return is_any;
}

std::set<std::string, std::less<>>
suspended_among(Transaction& transaction, SuspensionScope scope, const Ids& ids) {
    const Dialect& dialect = dialect_of(transaction.kind());
    const std::string sql = fmt::format(
        kSuspended, fmt::arg("by_id", dialect.by_id), fmt::arg("for_share", dialect.for_share)
    );
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    std::set<std::string, std::less<>> suspended;
    for (const auto& [text, parameters] :
         cut_id_list(sql, {.before = {name_of(scope)}, .ids = list})) {
        transaction.query({.sql = text, .columns = 1}, parameters, [&](const Row& row) {
            suspended.emplace(row.text(0));
        });
    }
    return suspended;
}

}  // namespace

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
    }
    return {};
}

SuspendedScopes find_suspended(Transaction& transaction, std::span<const Job* const> jobs) {
    const Ids instances = ids_in(jobs, &Job::process_instance_id);
    const Ids definitions = ids_in(jobs, &Job::process_definition_id);
    if ((instances.empty() && definitions.empty()) || !is_anything_suspended(transaction)) {
        return {};
    }
    return {
        .instances = suspended_among(transaction, SuspensionScope::instance, instances),
        .definitions = suspended_among(transaction, SuspensionScope::definition, definitions),
    };
}

}  // namespace jobstrand::persistence
