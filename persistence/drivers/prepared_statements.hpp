#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_summary.hpp"
#include "persistence/sql/statement_cache.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

/// How a connection runs its statements: each text is prepared once and kept. Here the errors of a
/// driver become ours. A statement that was left in its middle, by its own error or by that of the
/// reader, is not used again.
///
/// Thread safety: none, as its connection.
template <typename Statement, typename DriverError>
class PreparedStatements final {
public:
    struct Driver {
        std::function<std::unique_ptr<Statement>(std::string_view sql)> prepare;

        /// Called before the statement is discarded; `attempted` begins the message. A statement
        /// that `was_known` had been prepared earlier.
        std::function<DbError(const DriverError& error, std::string_view attempted, bool was_known)>
            error_of;

        /// Takes a statement that is not used again, or nullptr.
        std::function<void(std::unique_ptr<Statement>)> discard;
    };

    PreparedStatements(std::size_t capacity, Driver driver)
        : driver_(std::move(driver)), cache_(capacity) {}

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) {
        return run(sql, [&](Statement& statement) { return statement.execute(parameters); });
    }

    void query(Query query, std::span<const Value> parameters, const RowReader& read) {
        run(query.sql,
            [&](Statement& statement) { statement.query(query.columns, parameters, read); });
    }

private:
    template <typename Use>
    auto run(std::string_view sql, Use use) {
        const bool was_known = cache_.find(sql) != nullptr;
        // Defended catch: see above.
        try {
            return use(prepared(sql));
        } catch (const DriverError& error) {
            const DbError ours = driver_.error_of(error, sql_summary(sql), was_known);
            driver_.discard(cache_.take(sql));
            throw ours;
        } catch (...) {
            driver_.discard(cache_.take(sql));
            throw;
        }
    }

    Statement& prepared(std::string_view sql) {
        Statement* const known = cache_.find(sql);
        return known != nullptr ? *known : cache_.insert(sql, driver_.prepare(sql));
    }

    const Driver driver_;
    StatementCache<Statement> cache_;
};

}  // namespace jobstrand::persistence
