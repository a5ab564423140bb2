#pragma once

#include <jobstrand/value.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

namespace jobstrand {

/// A transaction of the job database, in which an app writes its own rows beside its jobs. The
/// engine begins and ends it: see Engine::in_transaction and Engine::add_transactional_handler.
///
/// Statements are written with `?` for each parameter, whatever the database; each distinct text is
/// prepared once and kept.
///
/// A copy is the same transaction. All calls throw std::logic_error when it has ended, and Error
/// when the database refuses; after an Error only the end is left, which rolls back.
///
/// Thread safety: none.
class Transaction final {
public:
    /// Runs an INSERT, UPDATE, DELETE or DDL; returns how many rows it inserted, deleted or found
    /// for update.
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters);
    std::int64_t execute(std::string_view sql, std::initializer_list<Value> parameters = {});

    /// Runs a SELECT, or a change that returns rows, and calls `read` for each row. `read` must not
    /// use this transaction.
    using ReadRow = std::function<void(const Row&)>;
    void query(std::string_view sql, std::span<const Value> parameters, const ReadRow& read);
    void query(std::string_view sql, std::initializer_list<Value> parameters, const ReadRow& read);

    class Open;
    explicit Transaction(std::shared_ptr<Open> open);

    /// Used by the engine.
    [[nodiscard]] Open& open() const;

private:
    std::shared_ptr<Open> open_;
};

}  // namespace jobstrand
