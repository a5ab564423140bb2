#include "persistence/engine/engine_questions.hpp"
#include "persistence/sql/dialect.hpp"

#include <string_view>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kInstance = R"sql(SELECT 1 FROM ACT_RU_EXECUTION WHERE ID_ = ?)sql";
constexpr std::string_view kDefinition = R"sql(SELECT 1 FROM ACT_RE_PROCDEF WHERE ID_ = ?)sql";

std::string_view question_about(SuspensionScope scope) {
    switch (scope) {
        case SuspensionScope::instance:
            return kInstance;
        case SuspensionScope::definition:
            return kDefinition;
        case SuspensionScope::series:
        case SuspensionScope::timer_group:
            break;
    }
    return {};
}

}  // namespace

bool is_of_engine(const StoreContext& context, SuspensionScope scope, std::string_view id) {
    const std::string_view question = question_about(scope);
    bool is_there = false;
    context.runner.read([&](Connection& connection) {
        is_there = false;
        if (question.empty() || !connection.dialect().has_engine) {
            return;
        }
        const Value parameter{id};
        connection.query({.sql = question, .columns = 1}, {&parameter, 1}, [&](const Row&) {
            is_there = true;
        });
    });
    return is_there;
}

}  // namespace jobstrand::persistence
