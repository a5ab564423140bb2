#include "persistence/engine/engine_questions.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/definition/job_definition.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kInstance = R"sql(SELECT 1 FROM ACT_RU_EXECUTION WHERE ID_ = ?)sql";
constexpr std::string_view kDefinition = R"sql(SELECT 1 FROM ACT_RE_PROCDEF WHERE ID_ = ?)sql";

/// What an engine is asked, and about whom.
struct EngineQuestion {
    std::string_view sql;  ///< Empty: it has nothing of that kind.
    std::string id;
};

EngineQuestion question_about(SuspensionScope scope, std::string_view id) {
    switch (scope) {
        case SuspensionScope::instance:
            return {kInstance, std::string(id)};
        case SuspensionScope::definition:
        case SuspensionScope::new_of_definition:
            return {kDefinition, std::string(id)};
        case SuspensionScope::job_definition:
            return {kDefinition, schema::job_definition_named(id).definition};
        case SuspensionScope::series:
        case SuspensionScope::timer_group:
        case SuspensionScope::tenant:
        case SuspensionScope::job:
            break;
    }
    return {};
}

}  // namespace

bool is_of_engine(const StoreContext& context, SuspensionScope scope, std::string_view id) {
    const EngineQuestion question = question_about(scope, id);
    bool is_there = false;
    context.runner.read([&](Connection& connection) {
        is_there = false;
        if (question.sql.empty() || !connection.dialect().has_engine) {
            return;
        }
        const Value parameter{std::string_view(question.id)};
        connection.query({.sql = question.sql, .columns = 1}, {&parameter, 1}, [&](const Row&) {
            is_there = true;
        });
    });
    return is_there;
}

}  // namespace jobstrand::persistence
