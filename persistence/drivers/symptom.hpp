#pragma once

#include "persistence/drivers/driver.hpp"
#include "persistence/sql/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// What a database answered about a symptom.
struct SymptomAnswer {
    std::optional<std::int64_t> number = {};  ///< nullopt: there is nothing of the kind.
    std::string words = {};                   ///< Whose it is.
    bool is_blind = false;                    ///< This user may not see all of it.
    std::string error = {};                   ///< Set: it could not be asked.
};

/// A symptom with what was answered about it.
struct ToldSymptom {
    Diagnostics::Symptom symptom;
    SymptomAnswer answer;
};

/// Never throws but for a connection that is lost: DbError.
[[nodiscard]] SymptomAnswer ask_about(Connection& connection, const Diagnostics::Symptom& symptom);

/// All symptoms of a database, and of one in the file `path` how long its log is. Throws likewise.
[[nodiscard]] std::vector<ToldSymptom>
ask_about_all(Connection& connection, const Driver& driver, const std::string& path);

}  // namespace jobstrand::persistence
