#include "persistence/drivers/sqlite/connection.hpp"

#include "persistence/drivers/sqlite/backend.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

sqlite_api::sqlite3* handle_of(soci::session& session) {
    return static_cast<soci::sqlite3_session_backend&>(*session.get_backend()).conn_;
}

/// The log stands beside the file itself, wherever a symbolic link to it is.
std::filesystem::path log_of(soci::session& session) {
    return std::string(sqlite_api::sqlite3_db_filename(handle_of(session), "main")) + "-wal";
}

}  // namespace

SqliteWriter::SqliteWriter(
    std::unique_ptr<soci::session> session,
    const SociBackend& backend,
    schema::Duration patience
)
    : SociConnection(std::move(session), backend),
      patience_ms_(patience.count()),
      queue_(log_of(this->session())) {
    sqlite_api::sqlite3_busy_handler(handle_of(this->session()), wait_for_writer, &patience_ms_);
}

SqliteWriter::~SqliteWriter() = default;

void SqliteWriter::begin() {
    const WriterQueue::Turn turn(queue_, schema::Duration(patience_ms_));
    SociConnection::begin();
}

std::int64_t SqliteWriter::execute(std::string_view sql, std::span<const Value> parameters) {
    if (sqlite_api::sqlite3_get_autocommit(handle_of(session())) == 0) {
        return SociConnection::execute(sql, parameters);
    }
    const WriterQueue::Turn turn(queue_, schema::Duration(patience_ms_));
    return SociConnection::execute(sql, parameters);
}

}  // namespace jobstrand::persistence
