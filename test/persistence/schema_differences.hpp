#pragma once

#include "persistence/migration/schema_check.hpp"

#include <string>
#include <vector>

namespace jobstrand::test {

/// What check_schema() finds, as it is said to users.
[[nodiscard]] inline std::vector<std::string> differences_of(persistence::Connection& connection) {
    std::vector<std::string> texts;
    for (const auto& difference : persistence::check_schema(connection).differences) {
        texts.push_back(difference.description);
    }
    return texts;
}

[[nodiscard]] inline std::vector<std::string> remarks_of(persistence::Connection& connection) {
    std::vector<std::string> texts;
    for (const auto& remark : persistence::check_schema(connection).remarks) {
        texts.push_back(remark.description);
    }
    return texts;
}

/// Runs all statements that check_schema() offers.
inline void mend_differences(persistence::Connection& connection) {
    for (const auto& difference : persistence::check_schema(connection).differences) {
        for (const std::string& statement : difference.mend) {
            connection.run_script(statement);
        }
    }
}

}  // namespace jobstrand::test
