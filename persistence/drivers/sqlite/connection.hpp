#pragma once

#include "persistence/drivers/soci/connection.hpp"
#include "persistence/drivers/sqlite/writer_queue.hpp"

#include <memory>

namespace jobstrand::persistence {

/// A connection that writes into a SQLite file, in turn with those of other processes.
class SqliteWriter final : public SociConnection {
public:
    /// `session` is open, on a file; it waits for other writers as long as `patience`.
    SqliteWriter(
        std::unique_ptr<soci::session> session,
        const SociBackend& backend,
        schema::Duration patience
    );
    ~SqliteWriter() override;

    void begin() override;

    /// Outside of a transaction it takes its turn, too.
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;

private:
    schema::Duration::rep patience_ms_;  ///< Read by SQLite's busy handler.
    WriterQueue queue_;
};

}  // namespace jobstrand::persistence
