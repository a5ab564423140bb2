#pragma once

#include <jobstrand/error.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/options.hpp>
#include <jobstrand/value.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

enum class Database { sqlite, mysql, postgresql };

/// The app's own connection, as far as enqueueing needs it: something that runs one INSERT. The
/// bridges make one: on_sqlite(), on_postgresql(), on_mysql(). For any other driver:
///
///     jobstrand::AppConnection own{
///         .database = jobstrand::Database::postgresql,
///         .run = [&](std::string_view sql, std::span<const jobstrand::Value> parameters) {
///             ...
///         },
///     };
struct AppConnection {
    Database database = Database::sqlite;

    /// Runs one statement that returns no rows, in the transaction that is open, or throws.
    /// Parameters are `?`, on PostgreSQL `$1`, `$2`, ...
    std::function<void(std::string_view sql, std::span<const Value> parameters)> run;
};

/// Enqueues jobs on the app's own connection, inside the app's own transaction: they exist exactly
/// if it commits. Needs no engine, only the tables (`jobstrand schema create`, or an engine that
/// has opened the database once).
///
///     jobstrand::Enqueuer enqueuer(jobstrand::on_sqlite(db));
///     enqueuer.enqueue({.handler_type = "send-invoice", .payload = R"({"order":17})"});
///
/// Jobs are written with plain INSERTs, as docs/sql.md describes. Compared with Engine::enqueue:
/// nothing is handed to a worker, so after the commit call Engine::wake(), or the nodes find the
/// job at their next poll (on PostgreSQL and SQLite the commit tells them); a job of a suspended
/// instance is caught when it is acquired; a job with a `repeat` becomes a series when it first
/// falls due.
///
/// Thread safety: that of the connection.
class Enqueuer final {
public:
    explicit Enqueuer(AppConnection connection, const RetryOptions& retry = {});
    ~Enqueuer();
    Enqueuer(Enqueuer&&) noexcept;
    Enqueuer& operator=(Enqueuer&&) noexcept;

    /// Returns the ids, in order. Throws std::invalid_argument with one sentence per mistake,
    /// before anything is written; std::logic_error when no transaction is open (the bridges see
    /// it); and what the connection throws: from the bridges, Error.
    std::string enqueue(NewJob job);
    std::vector<std::string> enqueue_all(std::vector<NewJob> jobs);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

/// Functions for the bridges, which turn native errors into an Error of the right kind.
namespace bridge {

[[noreturn]] void fail_on_sqlite(int extended_code, std::string_view message, std::string_view sql);
[[noreturn]] void
fail_on_postgresql(std::string_view sqlstate, std::string_view message, std::string_view sql);
[[noreturn]] void fail_on_mysql(unsigned code, std::string_view message, std::string_view sql);

/// Throws std::logic_error that says to begin one.
[[noreturn]] void refuse_without_transaction();

}  // namespace bridge

}  // namespace jobstrand
