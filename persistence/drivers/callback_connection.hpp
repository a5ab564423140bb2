#pragma once

#include "persistence/sql/connection.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The connection of an app, in the middle of a transaction that the app began and will end. All
/// that we can do is to run statements that return no rows: begin(), commit() and rollback() only
/// mark where ours begin and end. In between, times are UTC, whatever zone the app's session has.
///
/// Errors: what the function throws. Numbers of rows are not known: always 0.
class CallbackConnection final : public Connection {
public:
    /// Runs one statement, whose parameters are written as the database itself wants them.
    using Run = std::function<void(std::string_view sql, std::span<const Value> parameters)>;

    CallbackConnection(const Dialect& dialect, Run run);

    [[nodiscard]] const Dialect& dialect() const noexcept override { return dialect_; }

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;

    /// Throws std::logic_error.
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;

    void run_script(std::string_view sql) override;
    void begin() override;
    void announce_jobs() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return true; }

private:
    const Dialect& dialect_;
    const Run run_;
};

}  // namespace jobstrand::persistence
