#pragma once

#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/job_listener.hpp"
#include "schema/time.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace jobstrand::persistence {

/// Shuts a socket down when an answer on it takes too long, for client libraries that would wait
/// for ever: whoever waits sees a connection that was closed. It costs a thread, which sleeps, also
/// when many answers come in time.
///
/// Thread safety: begin() and end() by the one thread that uses the socket.
class AnswerWatch final {
public:
    AnswerWatch(int socket, schema::Duration limit);

    /// An answer is waited for from now on.
    void begin();

    /// It came, or the wait is over. The socket is left alone until the next begin().
    void end();

private:
    void watch(const std::stop_token& stop);

    const int socket_;
    const schema::Duration limit_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<schema::SteadyPoint> deadline_;
    bool was_used_ = false;   ///< Since the thread has last looked.
    bool is_asleep_ = false;  ///< The thread must be woken.

    std::jthread thread_;  ///< Ends first.
};

/// Why this program does not work with a server of this version, as one sentence; nullopt: it does.
/// `number` is the server's own: 130004 for 13.4, 90603 for 9.6.3.
[[nodiscard]] std::optional<std::string> postgresql_version_refusal(int number);

/// Whether PostgreSQL itself, or a distribution of it, writes a version so: `18.6`, `19beta1`,
/// `15.18 (Debian 15.18-0+deb12u1)`. Other engines add a name of their own, or a third number.
[[nodiscard]] bool is_postgresqls_own_version(std::string_view text);

/// Whether the URL leaves announcements on.
[[nodiscard]] bool announces_jobs(const DatabaseUrl& url);

/// Listens on a connection of its own. Throws DbError as open_postgresql does.
[[nodiscard]] std::unique_ptr<JobListener> listen_to_postgresql(const DatabaseUrl& url);

/// What SOCI's connection to PostgreSQL lacks: it is lost when the server does not answer in time,
/// and it announces jobs. Scripts, such as changes of the schema, may take as long as the server
/// lets them.
class PostgresqlConnection final : public Connection {
public:
    struct Settings {
        int socket = -1;  ///< That of the connection.
        schema::Duration answer_limit{0};
        bool announces_jobs = true;
        bool has_engine = false;  ///< A Flowable engine has its tables here too.
    };

    PostgresqlConnection(std::unique_ptr<Connection> connection, const Settings& settings);

    [[nodiscard]] const Dialect& dialect() const noexcept override { return dialect_; }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    [[nodiscard]] bool copy_in(const NewRows& rows) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void run_script(std::string_view sql) override { connection_->run_script(sql); }
    void begin() override;
    void announce_jobs() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return connection_->is_usable(); }

private:
    [[nodiscard]] bool has_just_announced() const;

    const std::unique_ptr<Connection> connection_;
    const Dialect& dialect_;
    const bool announces_jobs_;
    bool copies_ = true;                                             ///< The server takes a COPY.
    bool is_announcing_ = false;                                     ///< This transaction does.
    schema::SteadyPoint announced_at_ = schema::SteadyPoint::min();  ///< A commit did.
    AnswerWatch watch_;  ///< Ends before the socket is closed.
};

/// Connects to PostgreSQL and sets up the session, whatever the defaults of server, database and
/// role are: READ COMMITTED, UTC, UTF-8; no wait for a lock is longer than 5 s. The server ends the
/// connection when a transaction stays 10 minutes without a statement, and finds out within two
/// minutes that our machine has disappeared: what was locked is free then.
///
/// The planner is told to use keys. Its statistics of the job tables are often old: it would take a
/// full table for an empty one, and read all of it.
///
/// Throws DbError with one sentence that says what to do: unreachable (no server, no such
/// database), access_denied, busy (no connection left), not_a_database, other (a server that is too
/// old, a database that is not in UTF-8).
[[nodiscard]] std::unique_ptr<Connection> open_postgresql(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
