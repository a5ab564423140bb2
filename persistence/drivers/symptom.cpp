#include "persistence/drivers/symptom.hpp"

#include "persistence/sql/db_error.hpp"

namespace jobstrand::persistence {

namespace {

void ask(Connection& connection, std::string_view sql, SymptomAnswer& answer) {
    connection.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
        if (!row.is_null(0)) {
            answer.number = row.integer(0);
            answer.words = row.text(1);
        }
    });
}

/// false: the database does not answer this, and why is in the answer.
bool was_answered(Connection& connection, std::string_view sql, SymptomAnswer& answer) {
    // Defended catch: not every user may ask, and not every version knows each of these.
    try {
        answer.error.clear();
        ask(connection, sql, answer);
        return true;
    } catch (const DbError& error) {
        if (error.poisons_connection()) {
            throw;
        }
        answer.error = error.what();
        answer.is_blind = error.kind() == DbErrorKind::access_denied;
        return false;
    }
}

}  // namespace

SymptomAnswer ask_about(Connection& connection, const Diagnostics::Symptom& symptom) {
    SymptomAnswer answer;
    if (!was_answered(connection, symptom.sql, answer) && !symptom.or_sql.empty()) {
        (void)was_answered(connection, symptom.or_sql, answer);
    }
    SymptomAnswer blind;
    if (!symptom.blind_sql.empty() && answer.error.empty() &&
        was_answered(connection, symptom.blind_sql, blind)) {
        answer.is_blind = blind.number.value_or(0) != 0;
    }
    return answer;
}

}  // namespace jobstrand::persistence
