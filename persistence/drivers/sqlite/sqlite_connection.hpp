#pragma once

#include "persistence/drivers/soci/soci_connection.hpp"
#include "persistence/drivers/sqlite/file_identity.hpp"
#include "persistence/drivers/sqlite/writer_queue.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace jobstrand::persistence {

/// A connection to a SQLite file. It looks whether the file still stands where it was opened before
/// anything is read or written: else jobs would go into a file that nobody finds again.
/// DbError unreachable, until the file is back.
class SqliteConnection : public SociConnection {
public:
    /// `session` is open on the file at `path`, an absolute one.
    SqliteConnection(
        std::unique_ptr<soci::session> session,
        const SociBackend& backend,
        std::filesystem::path path
    );

    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void begin() override;
    void commit() override;

protected:
    [[nodiscard]] bool is_in_transaction();
    void require_file_in_place();

private:
    const std::filesystem::path path_;
    const std::optional<FileIdentity> identity_;
};

/// One that reads a file which it must not write, nor anything beside it, and which nobody has open
/// for writing. Once somebody has begun to, it reads nothing more: DbError connection_lost, and the
/// next connection reads along with the writer.
class SqliteSnapshot final : public SqliteConnection {
public:
    /// As SqliteConnection.
    SqliteSnapshot(
        std::unique_ptr<soci::session> session,
        const SociBackend& backend,
        std::filesystem::path path
    );

    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    [[nodiscard]] bool is_usable() const noexcept override;

private:
    [[nodiscard]] bool is_as_it_was() const noexcept;

    const std::filesystem::path file_;  ///< Behind all links.
    const std::filesystem::file_time_type written_;
    bool was_written_ = false;
};

/// One that writes, in turn with those of other processes.
class SqliteWriter final : public SqliteConnection {
public:
    /// As SqliteConnection; it waits for other writers as long as `patience`.
    SqliteWriter(
        std::unique_ptr<soci::session> session,
        const SociBackend& backend,
        std::filesystem::path path,
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
