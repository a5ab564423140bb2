#include "persistence/drivers/callback_connection.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/statement_text.hpp"

#include <exception>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

CallbackConnection::CallbackConnection(const Dialect& dialect, Run run)
    : dialect_(dialect), run_(std::move(run)) {}

std::int64_t CallbackConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    const char mark = dialect_.guest.number_mark;
    if (mark == 0) {
        run_(sql, parameters);
    } else {
        run_(number_placeholders(sql, mark), parameters);
    }
    return 0;
}

void CallbackConnection::query(Query, std::span<const Value>, const RowReader&) {
    throw std::logic_error("a connection that only runs statements returns no rows");
}

void CallbackConnection::run_script(std::string_view sql) {
    if (!sql.empty()) {
        run_(sql, {});
    }
}

void CallbackConnection::begin() {
    for (const std::string_view statement : dialect_.guest.arrive) {
        run_script(statement);
    }
}

void CallbackConnection::announce_jobs() {
    run_script(dialect_.guest.announce);
}

void CallbackConnection::commit() {
    run_script(dialect_.guest.leave);
}

void CallbackConnection::rollback() noexcept {
    // Defended catch: whoever rolls back is already dealing with an error, which says more.
    try {
        commit();
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace jobstrand::persistence
