#pragma once

#include "persistence/drivers/soci/soci_connection.hpp"
#include "persistence/drivers/sqlite/file_identity.hpp"
#include "persistence/drivers/sqlite/log_folding.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace jobstrand::persistence {

/// The queue of those who want to write into a SQLite file, in all processes that use this library.
/// SQLite itself keeps none: who waits for its lock sleeps and tries again, and a process that
/// commits one transaction after the other takes it back in between. Here whoever is next has the
/// place at the head, and whoever comes back from a commit stands behind him.
///
/// The head is a lock on the file of the log, on which SQLite has none of its own, and which ends
/// with its process, however that ends. Where the file system keeps no such locks nobody queues,
/// nor do others who write, apps with plain SQL: SQLite's lock decides, this only keeps order.
///
/// Thread safety: none; one for each connection.
class WriterQueue final {
public:
    /// Opens nothing yet: SQLite makes the log when it is first used.
    explicit WriterQueue(std::filesystem::path log) : log_(std::move(log)) {}
    ~WriterQueue();

    WriterQueue(const WriterQueue&) = delete;
    WriterQueue& operator=(const WriterQueue&) = delete;

    /// The place at the head of the queue, from its beginning to its end.
    class Turn final {
    public:
        /// Waits for it for a second at most, and 10 ms after a wait in vain, until it has been
        /// there again: a process that is frozen there must neither stop the others nor slow each
        /// of their transactions. Who has waited in vain goes on without it.
        Turn(WriterQueue& queue, schema::Duration patience);
        ~Turn();

        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        WriterQueue& queue_;
        bool is_mine_ = false;
    };

private:
    [[nodiscard]] bool is_open();
    enum class Head { mine, taken, not_kept };
    [[nodiscard]] Head take_head() const noexcept;

    const std::filesystem::path log_;
    int file_ = -1;
    bool waited_in_vain_ = false;
};

/// A busy handler for SQLite that tries again after a tenth of a millisecond, and later after one.
/// SQLite's own lets a writer sleep for up to a tenth of a second while others take turns.
/// `patience` points to the longest wait in milliseconds, a schema::Duration::rep.
[[nodiscard]] int wait_for_writer(void* patience, int tries);

/// A connection to a SQLite file. Before it reads, begins or commits it looks whether the file
/// still stands where it was opened, unless it has looked within kLookHolds: else jobs would go
/// into a file that nobody finds again. DbError unreachable, until the file is back. A symbolic
/// link in its place is not the file: who opens it by the link has another log.
class SqliteConnection : public SociConnection {
public:
    /// How long a look holds: no longer than a commit may take to reach the disk, in which nobody
    /// can look. Short transactions would spend 3 % of their time on it else.
    static constexpr std::chrono::milliseconds kLookHolds{5};

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

    /// The path of the file that SQLite has opened, behind all links.
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
    const std::filesystem::path path_;
    const std::filesystem::path file_;
    const std::optional<FileIdentity> identity_;
    std::chrono::steady_clock::time_point looked_at_;
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
    LogFolding folding_;
};

}  // namespace jobstrand::persistence
