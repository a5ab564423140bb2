#include "persistence/drivers/sqlite/connection.hpp"

#include "persistence/drivers/sqlite/backend.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <utility>

namespace jobstrand::persistence {

SqliteWriter::SqliteWriter(
    std::unique_ptr<soci::session> session,
    const SociBackend& backend,
    const std::filesystem::path& path,
    schema::Duration patience
)
    : SociConnection(std::move(session), backend),
      patience_ms_(patience.count()),
      queue_(path.string() + "-wal") {
    auto& native = static_cast<soci::sqlite3_session_backend&>(*this->session().get_backend());
    sqlite_api::sqlite3_busy_handler(native.conn_, wait_for_writer, &patience_ms_);
}

SqliteWriter::~SqliteWriter() = default;

void SqliteWriter::begin() {
    const WriterQueue::Turn turn(queue_, schema::Duration(patience_ms_));
    SociConnection::begin();
}

}  // namespace jobstrand::persistence
