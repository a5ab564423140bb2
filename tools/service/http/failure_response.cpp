#include "tools/service/http/failure_response.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/service/http/problem.hpp"

#include <new>
#include <stdexcept>

namespace jobstrand::service {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;

[[nodiscard]] Response response_to_database(const DbError& error) {
    if (error.kind() == DbErrorKind::duplicate_key) {
        return problem(409, "a key is taken");
    }
    if (error.kind() == DbErrorKind::too_long) {
        return problem(400, error.what());
    }
    if (error.kind() == DbErrorKind::in_doubt) {
        return come_again("the connection to the database was lost: it may have been done, or not");
    }
    if (error.is_outage()) {
        return come_again("the database is not available; nothing was done");
    }
    if (error.is_transient()) {
        return come_again(
            "the database did not do this in time, or others were in the way; nothing was done: "
            "again, or ask for less at once"
        );
    }
    return problem(500, "the database refused; the service's log says why");
}

}  // namespace

Response response_to(const std::exception& error, schema::Log& log) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        log.write(schema::LogLevel::error, "a request needs more memory than there is");
        return no_memory();
    }
    if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
        return problem(400, error.what());
    }
    if (dynamic_cast<const OutOfScope*>(&error) != nullptr) {
        return problem(403, error.what());
    }
    const auto* const of_database = dynamic_cast<const DbError*>(&error);
    Response response = of_database != nullptr
                            ? response_to_database(*of_database)
                            : problem(500, "an unexpected error; the service's log says more");
    if (response.status >= 500) {
        // The store says once that the database is away, however many ask meanwhile.
        const bool is_told = of_database != nullptr && of_database->is_outage();
        log.write(
            is_told ? schema::LogLevel::debug : schema::LogLevel::warn,
            "a request failed",
            {{"status", response.status}, {"error", error.what()}}
        );
    }
    return response;
}

}  // namespace jobstrand::service
