#pragma once

#include <cstddef>
#include <list>
#include <memory>
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

}  // namespace jobstrand::persistence
