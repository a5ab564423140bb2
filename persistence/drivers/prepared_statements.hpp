#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/statement_text.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace jobstrand::persistence {

/// The prepared statements of one connection by their SQL text; the one that was not used for the
/// longest time goes first.
///
/// Thread safety: none, as its connection.
template <typename Statement>
class StatementCache final {
public:
    explicit StatementCache(std::size_t capacity) : capacity_(capacity) {}

    /// nullptr: not prepared yet. The pointer holds until the next insert or erase.
    [[nodiscard]] Statement* find(std::string_view sql) {
        const auto found = by_sql_.find(sql);
        if (found == by_sql_.end()) {
            return nullptr;
        }
        by_use_.splice(by_use_.begin(), by_use_, found->second);
        return found->second->statement.get();
    }

    /// Precondition: find(sql) is nullptr.
    Statement& insert(std::string_view sql, std::unique_ptr<Statement> statement) {
        if (by_use_.size() >= capacity_) {
            erase(by_use_.back().sql);
        }
        by_use_.push_front({std::string(sql), std::move(statement)});
        by_sql_.emplace(by_use_.front().sql, by_use_.begin());
        return *by_use_.front().statement;
    }

    void erase(std::string_view sql) { static_cast<void>(take(sql)); }

    /// Hands out a statement that is not to be used again; nullptr: there is none.
    [[nodiscard]] std::unique_ptr<Statement> take(std::string_view sql) {
        const auto found = by_sql_.find(sql);
        if (found == by_sql_.end()) {
            return nullptr;
        }
        const auto entry = found->second;
        std::unique_ptr<Statement> statement = std::move(entry->statement);
        by_sql_.erase(found);
        by_use_.erase(entry);
        return statement;
    }

    [[nodiscard]] std::size_t size() const noexcept { return by_use_.size(); }

private:
    struct Entry {
        std::string sql;
        std::unique_ptr<Statement> statement;
    };

    const std::size_t capacity_;
    std::list<Entry> by_use_;  ///< Last used first.
    std::unordered_map<std::string_view, typename std::list<Entry>::iterator> by_sql_;
};

/// Gives back the memory of a buffer that a long text (a payload, a stack trace) has passed
/// through. Statements are kept, and their buffers with them.
inline void release_if_large(std::string& buffer) {
    constexpr std::size_t kKeptBytes = 16 * 1024;
    if (buffer.capacity() > kKeptBytes) {
        std::string().swap(buffer);
    }
}

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
