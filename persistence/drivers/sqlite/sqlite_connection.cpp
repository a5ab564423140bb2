#include "persistence/drivers/sqlite/sqlite_connection.hpp"

#include "persistence/drivers/sqlite/sqlite_backend.hpp"
#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr schema::Duration kLongestQueueing{1000};
constexpr schema::Duration kQueueingAfterInVain{10};

/// Short at first, when a turn is about to end; then it costs little.
void pause_between_tries(Clock::time_point began) {
    const bool is_long = Clock::now() - began > 20ms;
    std::this_thread::sleep_for(is_long ? 1000us : 100us);
}

}  // namespace

WriterQueue::~WriterQueue() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

bool WriterQueue::is_open() {
    if (file_ < 0) {
        file_ = ::open(log_.c_str(), O_RDONLY | O_CLOEXEC);
    }
    return file_ >= 0;
}

WriterQueue::Head WriterQueue::take_head() const noexcept {
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
        return Head::mine;
    }
    // Some file systems know no such locks, or only for those who may write.
    return errno == EWOULDBLOCK || errno == EINTR ? Head::taken : Head::not_kept;
}

WriterQueue::Turn::Turn(WriterQueue& queue, schema::Duration patience) : queue_(queue) {
    if (!queue_.is_open()) {
        return;
    }
    const auto began = Clock::now();
    const auto longest = queue_.waited_in_vain_ ? kQueueingAfterInVain : kLongestQueueing;
    const auto until = began + std::min(patience, longest);
    Head head = queue_.take_head();
    while (head == Head::taken && Clock::now() < until) {
        pause_between_tries(began);
        head = queue_.take_head();
    }
    is_mine_ = head == Head::mine;
    queue_.waited_in_vain_ = head == Head::taken;
}

WriterQueue::Turn::~Turn() {
    if (is_mine_) {
        ::flock(queue_.file_, LOCK_UN);
    }
}

int wait_for_writer(void* patience, int tries) {
    // A connection waits on the thread that uses it.
    thread_local Clock::time_point began;
    if (tries == 0) {
        began = Clock::now();
    }
    if (Clock::now() - began >= schema::Duration(*static_cast<schema::Duration::rep*>(patience))) {
        return 0;
    }
    pause_between_tries(began);
    return 1;
}

namespace {

sqlite_api::sqlite3* handle_of(soci::session& session) {
    return static_cast<soci::sqlite3_session_backend&>(*session.get_backend()).conn_;
}

/// The file itself, wherever a symbolic link to it is.
std::filesystem::path file_of(soci::session& session) {
    return sqlite_api::sqlite3_db_filename(handle_of(session), "main");
}

/// Of the file that is open; nullopt: it no longer stands where it was opened.
std::optional<FileIdentity> opened_identity(soci::session& session) {
    const std::optional<FileIdentity> identity = unlinked_identity(file_of(session));
    int has_moved = 0;
    sqlite_api::sqlite3_file_control(
        handle_of(session), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved
    );
    return has_moved == 0 ? identity : std::nullopt;
}

std::filesystem::path log_of(const std::filesystem::path& file) {
    return file.string() + "-wal";
}

/// One that cannot be seen has the earliest time.
std::filesystem::file_time_type time_of(const std::filesystem::path& file) noexcept {
    std::error_code is_missing;
    return std::filesystem::last_write_time(file, is_missing);
}

}  // namespace

SqliteConnection::SqliteConnection(
    std::unique_ptr<soci::session> session,
    const SociBackend& backend,
    std::filesystem::path path
)
    : SociConnection(std::move(session), backend),
      path_(std::move(path)),
      file_(file_of(this->session())),
      identity_(opened_identity(this->session())) {}

bool SqliteConnection::is_in_transaction() {
    return sqlite_api::sqlite3_get_autocommit(handle_of(session())) == 0;
}

void SqliteConnection::require_file_in_place() {
    const auto now = Clock::now();
    if (now - looked_at_ < kLookHolds) {
        return;
    }
    const std::optional<FileIdentity> here = unlinked_identity(file_);
    const std::optional<FileIdentity> named = path_ == file_ ? here : file_identity(path_);
    if (here && here == identity_ && named == here) {
        looked_at_ = now;
        return;
    }
    throw DbError(
        DbErrorKind::unreachable,
        fmt::format(
            "the database {} {}: nothing is read or written until the file that was opened is back "
            "there; or restart what uses it",
            path_.string(),
            here && named ? "was replaced by another file"
                          : "was moved or removed while it was in use"
        )
    );
}

void SqliteConnection::query(
    Query query,
    std::span<const Value> parameters,
    const RowReader& read
) {
    if (!is_in_transaction()) {
        require_file_in_place();
    }
    SociConnection::query(query, parameters, read);
}

void SqliteConnection::begin() {
    require_file_in_place();
    SociConnection::begin();
}

void SqliteConnection::commit() {
    require_file_in_place();
    SociConnection::commit();
}

SqliteSnapshot::SqliteSnapshot(
    std::unique_ptr<soci::session> session,
    const SociBackend& backend,
    std::filesystem::path path
)
    : SqliteConnection(std::move(session), backend, std::move(path)), written_(time_of(file())) {}

void SqliteSnapshot::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    was_written_ = was_written_ || !is_as_it_was();
    if (was_written_) {
        throw DbError(
            DbErrorKind::connection_lost,
            fmt::format("another process has begun to write the database {}", file().string())
        );
    }
    SqliteConnection::query(query, parameters, read);
}

bool SqliteSnapshot::is_usable() const noexcept {
    return !was_written_ && SqliteConnection::is_usable();
}

bool SqliteSnapshot::is_as_it_was() const noexcept {
    std::error_code ignored;
    return time_of(file()) == written_ && !std::filesystem::exists(log_of(file()), ignored);
}

SqliteWriter::SqliteWriter(
    std::unique_ptr<soci::session> session,
    const SociBackend& backend,
    std::filesystem::path path,
    schema::Duration patience
)
    : SqliteConnection(std::move(session), backend, std::move(path)),
      patience_ms_(patience.count()),
      queue_(log_of(file())),
      folding_(handle_of(this->session())) {
    sqlite_api::sqlite3_busy_handler(handle_of(this->session()), wait_for_writer, &patience_ms_);
}

SqliteWriter::~SqliteWriter() = default;

void SqliteWriter::begin() {
    folding_.look_at_file();
    const WriterQueue::Turn turn(queue_, schema::Duration(patience_ms_));
    SqliteConnection::begin();
}

std::int64_t SqliteWriter::execute(std::string_view sql, std::span<const Value> parameters) {
    if (is_in_transaction()) {
        return SociConnection::execute(sql, parameters);
    }
    require_file_in_place();
    folding_.look_at_file();
    const WriterQueue::Turn turn(queue_, schema::Duration(patience_ms_));
    return SociConnection::execute(sql, parameters);
}

}  // namespace jobstrand::persistence
