#pragma once

#include "persistence/migration/schema_migration.hpp"

#include <string>
#include <vector>

namespace jobstrand::test {

/// What check_schema() finds, as it is said to users.
[[nodiscard]] inline std::vector<std::string> differences_of(persistence::Connection& connection) {
    std::vector<std::string> texts;
    for (const auto& difference : persistence::check_schema(connection)) {
        texts.push_back(difference.description);
    }
    return texts;
}

}  // namespace jobstrand::test
