#pragma once

#include "persistence/drivers/diagnostics.hpp"
#include "persistence/sql/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::persistence {

/// What a database answered about a symptom.
struct SymptomAnswer {
    std::optional<std::int64_t> number = {};  ///< nullopt: there is nothing of the kind.
    std::string words = {};                   ///< Whose it is.
    bool is_blind = false;                    ///< This user may not see all of it.
    std::string error = {};                   ///< Set: it could not be asked.
};

/// Never throws but for a connection that is lost: DbError.
[[nodiscard]] SymptomAnswer ask_about(Connection& connection, const Diagnostics::Symptom& symptom);

}  // namespace jobstrand::persistence
