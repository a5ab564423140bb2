#pragma once

#include "schema/time.hpp"

#include <filesystem>
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

}  // namespace jobstrand::persistence
